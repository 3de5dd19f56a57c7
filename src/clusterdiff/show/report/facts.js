// What follows from judgements, as `judgements/facts.py` has it. A judgement is { groups, unsure, by, at, withdrawn }, and
// its points are texts. Points that must be together are a block; the blocks of one scope are pairwise apart.
const factsOf = (() => {
  const saidOf = (one) => new Map(one.unsure?.length ? one.unsure.map((point) => [point, null]) : one.groups.flatMap((group, i) => group.map((point) => [point, i])));

  // Dates as `judgements/times.py` reads them: moments, in UTC unless they name a zone; or numbers; or texts.
  const ISO = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(Z|[+-]\d\d:?\d\d)?)?$/;
  const momentOf = (at) => {
    const text = String(at);
    const date = ISO.exec(text);
    if (date) return Date.parse(text.length > 10 && !date[1] ? `${text}Z` : text);
    return text.trim() && Number.isFinite(Number(text)) ? Number(text) : text;
  };

  // A later judgement of the same author about the same two points replaces the earlier one, for these two alone: which
  // judgements are replaced, and for which points.
  const replaced = (judgements) => {
    const gone = new Map();
    const authors = new Map();
    for (const one of judgements) {
      if (one.by == null || one.at == null) continue;
      if (!authors.has(one.by)) authors.set(one.by, []);
      authors.get(one.by).push({ one, said: saidOf(one), at: momentOf(one.at) });
    }
    for (const mine of authors.values()) {
      const at = new Map();
      for (const entry of mine) for (const point of entry.said.keys()) at.set(point, [...(at.get(point) || []), entry]);
      for (const { one, said, at: when } of mine) {
        const shared = new Map();
        for (const point of said.keys()) {
          for (const later of at.get(point)) if (later.at > when) shared.set(later, [...(shared.get(later) || []), point]);
        }
        for (const [later, points] of shared) {
          points.forEach((a, i) => {
            for (const b of points.slice(i + 1)) {
              const unsure = later.said.get(a) === null;
              if (!unsure && (later.said.get(a) === later.said.get(b)) === (said.get(a) === said.get(b))) continue;
              if (!gone.has(one)) gone.set(one, new Set());
              gone.get(one).add(JSON.stringify([a, b].sort()));
            }
          });
        }
      }
    }
    return gone;
  };

  return (judgements) => {
    const live = judgements.filter((one) => !one.withdrawn);
    const cut = replaced(live);
    const parent = new Map();
    const find = (point) => {
      let root = point;
      while (parent.has(root)) root = parent.get(root);
      while (parent.has(point) && parent.get(point) !== root) {
        const next = parent.get(point);
        parent.set(point, root);
        point = next;
      }
      return root;
    };
    const unite = (a, b) => {
      const [one, other] = [find(a), find(b)];
      if (one !== other) parent.set(one, other);
    };
    const scopes = [];
    const known = new Set();
    for (const one of live) {
      const groups = one.groups || [];
      for (const point of groups.flat()) known.add(point);
      const gone = cut.get(one);
      if (!gone) {
        for (const [first, ...rest] of groups) for (const point of rest) unite(first, point);
        if (groups.length > 1) scopes.push({ one, members: groups.map((group) => group[0]) });
        continue;
      }
      const said = [...saidOf(one)];
      said.forEach(([a, of], i) => {
        for (const [b, other] of said.slice(i + 1)) {
          if (gone.has(JSON.stringify([a, b].sort()))) continue;
          if (of === other) unite(a, b);
          else scopes.push({ one, members: [a, b] });
        }
      });
    }
    // The scopes of each block, and a judgement that sets points apart which are together.
    const apart = new Map();
    let clash = null;
    scopes.forEach(({ one, members }, scope) => {
      for (const member of members) {
        const root = find(member);
        if (!apart.has(root)) apart.set(root, new Set());
        if (apart.get(root).has(scope)) clash ||= one;
        apart.get(root).add(scope);
      }
    });
    const none = new Set();
    return {
      clash,
      some: known.size > 0,
      knows: (point) => known.has(point),
      block: find,
      scopes: (block) => apart.get(block) || none,
    };
  };
})();
