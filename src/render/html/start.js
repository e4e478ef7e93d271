// A page that compares models has no tree to ask.
if (model !== undefined) {
  startTree();
  startForm();
  startRules();
  startThreshold();
  startErrors();
  startRegions();
}
