// A page that compares models has no tree to ask.
if (model !== undefined) {
  startTree();
  startForm();
  startRules();
  startThreshold();
  startErrors();
  startRegions();
}

// Paper can't be unfolded.
window.addEventListener("beforeprint", () => {
  for (const part of document.querySelectorAll("details")) part.open = true;
});
