// Repairs as judgements: what a decision claims, whether facts demand or forbid a repair, and how claims leave the page.
const judging = (() => {
  const { refused, comparison } = data.judging;

  // ---- cells by their points; what the page does not hold of a cell is one more point, called by the cell's number

  // Whether a name is known to the letter, as Python writes it.
  const isExact = (value) => (Array.isArray(value) ? Boolean(value[1]) : value !== null && !(typeof value === "number" && /e/.test(value)));
  const number = (component, cell) => (component.numbers ? component.numbers[cell] : null);
  const beyond = (cell) => `\u0000cell ${cell}`;
  const keysOf = (component, cell) => {
    component.keys ||= [];
    if (!component.keys[cell]) {
      const exact = pointsIn(component, [cell]).map((point) => point[1]).filter(isExact);
      const whole = exact.length === cellRows(component)[cell][2];
      component.keys[cell] = { whole, points: [...exact.map(plainText), ...(whole ? [] : [beyond(number(component, cell))])] };
    }
    return component.keys[cell];
  };
  const pointsOf = (component, cells) => cells.flatMap((cell) => keysOf(component, cell).points);

  // ---- what a decision claims: judgements whose groups are lists of cells. `rest` is a predicted cluster of which cells
  // are not on the page: all of those are apart from the group.

  const cellsOf = (engine, id) => [...engine.preds.get(id).cells.values()];
  const largest = (engine, id) => cellsOf(engine, id).reduce((most, cell) => (cell.set.size > most.set.size ? cell : most)).of;
  const CLAIMS = {
    split: ({ engine }, { p }, accepted) => {
      const cells = cellsOf(engine, p).map((cell) => cell.of);
      return [{ groups: accepted ? cells : [cells.flat()] }];
    },
    merge: ({ engine }, { t, preds }, accepted) =>
      [{ groups: accepted ? [preds.flatMap((id) => engine.truths[t].cells.get(id).of)] : preds.map((id) => largest(engine, id)) }],
    move: ({ engine }, { t, from, to }, accepted) => {
      const [moved, home] = [from, to].map((id) => engine.truths[t].cells.get(id).of);
      if (!accepted) return [{ groups: [moved, largest(engine, to)] }];
      const together = [...moved, ...home];
      const source = engine.preds.get(from);
      const others = cellsOf(engine, from).filter((cell) => cell.t !== t);
      // One for each true cluster that is left behind: of those nothing is said among themselves.
      const claims = others.map((cell) => ({ groups: [together, cell.of] }));
      const unseen = source.beyond.map((id) => ({ groups: [together], rest: id }));
      return claims.length + unseen.length ? [...claims, ...unseen] : [{ groups: [together] }];
    },
  };
  // Parts of a cell have no number: what the page does not hold of them cannot be referred to.
  const unnamed = (component, { groups }) =>
    groups.flat().some((cell) => !keysOf(component, cell).whole && (component.parts || []).some((part) => part.row === cell || part[1] === cell));
  const claimsOf = (work, repair, accepted) => {
    if (refused || !CLAIMS[repair.operation]) return []; // lost points have no form here
    const claims = CLAIMS[repair.operation](work, repair, accepted);
    if (claims.some((claim) => unnamed(work.component, claim))) return [];
    return claims.map((claim) => ({
      ...claim,
      cells: claim.groups,
      groups: claim.groups.map((cells) => pointsOf(work.component, cells)),
    }));
  };

  // A claim about given cells, and whether the page knows all of their points to the letter.
  const claim = (component, cells) => ({ component, cells, groups: cells.map((some) => pointsOf(component, some)) });
  const holds = (component, cells) => cells.every((cell) => keysOf(component, cell).whole);

  // ---- facts

  const concerned = (facts, component) => facts.some && component.cells.some((_, cell) => keysOf(component, cell).points.some(facts.knows));
  const blocksOf = (facts, component, cells) => new Set(pointsOf(component, cells).filter(facts.knows).map(facts.block));
  // Whether two of several sets of blocks have blocks that are apart.
  const areApart = (facts, sides) => {
    const seen = new Map();
    return sides.some((blocks, side) =>
      [...blocks].some((block) =>
        [...facts.scopes(block)].some((scope) => {
          const others = seen.get(scope) || [];
          seen.set(scope, [...others, [side, block]]);
          return others.some(([where, other]) => where !== side && other !== block);
        }),
      ),
    );
  };
  const meet = (one, other) => [...one].some((block) => other.has(block));
  const FORBIDS = {
    split: (work, blocks, { p }) => {
      const parts = cellsOf(work.engine, p).map((cell) => blocks(cell.of));
      return parts.some((part, i) => parts.slice(i + 1).some((other) => meet(part, other)));
    },
    merge: (work, blocks, { preds }, facts) => areApart(facts, preds.map((id) => blocks(cellsOf(work.engine, id).flatMap((cell) => cell.of)))),
    move: (work, blocks, { t, from, to }, facts) => {
      const moved = blocks(work.engine.truths[t].cells.get(from).of);
      const left = blocks(cellsOf(work.engine, from).filter((cell) => cell.t !== t).flatMap((cell) => cell.of));
      const there = blocks(cellsOf(work.engine, to).flatMap((cell) => cell.of));
      return meet(moved, left) || areApart(facts, [moved, there]);
    },
  };
  // Whether facts forbid one of the pairs that a repair would join or part.
  const forbidden = (facts, work, repair) =>
    Boolean(FORBIDS[repair.operation]) && FORBIDS[repair.operation](work, (cells) => blocksOf(facts, work.component, cells), repair, facts);
  // Whether facts say all that accepting a repair would claim. Of a cell that is here in part, the points that are speak.
  const demanded = (facts, work, repair) => {
    const claims = claimsOf(work, repair, true);
    const blockOf = (cells) => {
      const found = new Set();
      for (const cell of cells) {
        const { whole, points } = keysOf(work.component, cell);
        const told = points.filter(facts.knows);
        if (!told.length || (whole ? told.length < points.length : told.length < points.length - 1)) return null;
        for (const point of told) found.add(facts.block(point));
      }
      return found.size === 1 ? [...found][0] : null;
    };
    return claims.length > 0 && claims.every(({ cells, rest }) => {
      const blocks = cells.map(blockOf);
      if (rest !== undefined || blocks.includes(null)) return false;
      return blocks.every((block, i) => blocks.slice(i + 1).every((other) => areApart(facts, [new Set([block]), new Set([other])])));
    });
  };

  // ---- lines of a file

  // A claim of the page: groups of points if it holds them all, else a reference to cells by their numbers.
  const lineOf = (component, claim, told) => {
    const whole = claim.rest === undefined && claim.cells.flat().every((cell) => keysOf(component, cell).whole);
    if (whole) return { ...told, groups: claim.groups, comparison };
    const numbers = (cells) => cells.map((cell) => number(component, cell));
    const line = { ...told, cells: claim.cells.map(numbers), comparison };
    if (claim.rest === undefined) return line;
    const here = component.cells.flatMap((cell, i) => (cell[1] === claim.rest ? [i] : []));
    return { ...line, rest: { of: number(component, here[0]), but: numbers(here) } };
  };
  class BadFile extends Error {}
  const strings = (value) => Array.isArray(value) && value.every((point) => ["string", "number"].includes(typeof point));
  // The judgements of a file, each with its line as it is and its points as texts.
  const parsed = (text) => {
    const out = [];
    text.split("\n").forEach((line, i) => {
      if (!line.trim()) return;
      let given = null;
      try {
        given = JSON.parse(line);
      } catch {
        throw new BadFile(`line ${i + 1} is not JSON. The page reads its own files and those of “clusterdiff judgements FILE -o judgements.jsonl”.`);
      }
      if (given?.review !== undefined) return; // it says how a review was drawn
      out.push(readLine(given, i + 1));
    });
    return out;
  };
  const readLine = (given, at) => {
    const { groups, unsure, cells } = given || {};
    const repair = given?.comparison === comparison && Array.isArray(given?.repair) ? given.repair : null;
    const group = given?.comparison === comparison && given.digest !== undefined && data.groups[given.group]?.digest === given.digest ? given.group : undefined;
    if (group === undefined && given?.digest !== undefined && !groups) throw new BadFile(`line ${at} refers to a group of another page. “clusterdiff judgements --expand TRUE PRED FILE” turns it into judgements.`);
    const told = { line: given, repair, id: given?.id ?? `line ${at}`, by: given?.by, at: given?.at, withdrawn: Boolean(given?.withdrawn), group };
    if (group !== undefined && !groups) return { ...told, groups: [] };
    if (Array.isArray(groups) && groups.every(strings)) return { ...told, groups: groups.map((group) => group.map(String)) };
    if (strings(unsure)) return { ...told, groups: [], unsure: unsure.map(String) };
    if (!Array.isArray(cells) && (given?.answer !== undefined || given?.shown !== undefined)) return { ...told, groups: [] };
    if (!Array.isArray(cells) || !cells.every(Array.isArray)) throw new BadFile(`line ${at} is not a judgement: it has no groups of ${plural(POINT)}.`);
    if (given.comparison !== comparison) throw new BadFile(`line ${at} refers to another page. “clusterdiff judgements --expand TRUE PRED FILE” turns it into judgements.`);
    return { ...told, groups: given.rest ? [] : cells.map((group) => group.flatMap(cellPoints)) };
  };
  // Whether some judgements say what a repair would claim: it is the one that they were made of.
  const isMadeOf = (work, repair, accepted, judgements) =>
    claimsOf(work, repair, accepted).every(({ groups }) =>
      groups.every((group) => judgements.some((one) => one.groups.some((theirs) => {
        const held = new Set(theirs);
        return group.every((point) => held.has(point) || point.startsWith(beyond("")));
      }))),
    );
  // Those that came with the page; a group may also have all of a cell that the page does not hold.
  const given = () => {
    const found = data.judging.judgements.map((line, i) => ({ ...readLine(line, i + 1), given: true }));
    for (const [judgement, group, cell] of data.judging.beyond || []) found[judgement].groups[group].push(beyond(cell));
    return found;
  };
  const places = new Map();
  const cellPoints = (wanted) => {
    if (!places.size) for (const component of data.components) (component.numbers || []).forEach((cell, i) => places.set(cell, [component, i]));
    const [component, cell] = places.get(wanted) || [];
    return component ? keysOf(component, cell).points : [beyond(wanted)];
  };

  return { refused, comparison, claim, holds, claimsOf, concerned, forbidden, demanded, isMadeOf, lineOf, parsed, given, BadFile };
})();
