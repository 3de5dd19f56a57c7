// The keyboard.
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const typing = event.target.closest("input");
  if (event.key === "/" && !typing) {
    event.preventDefault();
    if (!$("search").checkVisibility()) address.go("components");
    $("search").focus();
    return;
  }
  const row = event.target.closest("#list .row, .detail");
  if (!row) return;
  const rows = [...document.querySelectorAll("#list .row")];
  const own = row.classList.contains("row") ? row : $(row.id.replace("detail", "row"));
  if (event.key === "ArrowDown" || event.key === "ArrowUp") {
    const next = rows[rows.indexOf(own) + (event.key === "ArrowDown" ? 1 : -1)];
    if (next) {
      event.preventDefault();
      next.querySelector("button").focus();
    }
  } else if (event.key === "Escape" && own.classList.contains("open")) {
    toggle(data.components.find((c) => String(c.id) === own.dataset.id), own, false);
    own.querySelector("button").focus();
  }
});
