// Judgements on the page: who decides, how decisions leave as a file, and how another's file comes in.
const judgementsPanel = (() => {
  const NAME = "clusterdiff-reviewer";
  // What a judgement is called in a message.
  const calledOf = (one) => (one.id ? `judgement ${shown(one.id, 60)}${one.by ? ` by ${shown(one.by, 40)}` : ""}` : "a decision on this page");
  const note = (text) => {
    $("judgements-said").textContent = text;
    $("judgements-said").hidden = !text;
  };
  const draw = () => {
    if (judging.refused) {
      note(`No judgements: ${judging.refused}`);
      $("as-judgements").disabled = $("load").disabled = $("reviewer").disabled = true;
      return;
    }
    const { count, left, references } = review.lines("");
    $("as-judgements").disabled = !count;
    const told = [];
    const { left: away } = data.judging;
    if (away) told.push(`${counted(away, "judgement")} of the file ${away === 1 ? "is" : "are"} not on this page, which would be too large: keep that file, and pass both to the command.`);
    if (references) told.push(`${counted(references, "judgement")} ${references === 1 ? "refers" : "refer"} to ${plural(POINT)} or groups that this file does not hold: “clusterdiff judgements --expand TRUE PRED FILE” names them.`);
    if (left) told.push(`${counted(left, "decision")} on missing or spurious ${plural(POINT)} cannot be written as judgements.`);
    note(told.join(" "));
  };
  const load = async (file, say) => {
    try {
      const { clash, added, decided } = review.load(judging.parsed(await file.text()));
      if (clash) say(`Nothing was loaded: ${calledOf(clash)} contradicts other judgements. “clusterdiff judgements” shows how, and --settle decides by author and date.`);
      else say(`${counted(added, "judgement")} loaded; ${counted(decided, "repair")} decided by them.`);
    } catch (error) {
      if (!(error instanceof judging.BadFile)) throw error;
      say(`Nothing was loaded: ${error.message}`);
    }
    note($("review-said").textContent);
  };
  const start = (say) => {
    const name = $("reviewer");
    name.value = remembered?.getItem(NAME) || "";
    name.addEventListener("input", () => remembered?.setItem(NAME, name.value));
    $("as-judgements").addEventListener("click", () => download("judgements.jsonl", "application/jsonl", review.lines(name.value.trim()).text));
    $("load").addEventListener("click", () => $("judgements-file").click());
    $("judgements-file").addEventListener("change", async ({ target }) => {
      const [file] = target.files;
      target.value = "";
      if (file) await load(file, say);
    });
  };
  return { start, draw, calledOf };
})();
