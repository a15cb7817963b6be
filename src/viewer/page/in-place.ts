let clicked: Element | undefined;
addEventListener('click', ({ target }) => {
  clicked = target instanceof Element ? target : undefined;
});

/** Makes a change without moving what the reader looks at: what was clicked last, else the top of the window. */
export function inPlace(change: () => void): void {
  if (scrollY === 0 && clicked === undefined) {
    change();
    return;
  }
  const top = (one: Element) => one.getBoundingClientRect().top;
  const isSeen = (one: Element | undefined) =>
    one?.isConnected === true && top(one) >= 0 && top(one) < innerHeight;
  const anchor = [clicked, ...document.querySelectorAll('h2, h3, li')].find(isSeen);
  const before = anchor && top(anchor);
  change();
  if (anchor?.isConnected && before !== undefined) scrollBy(0, top(anchor) - before);
}
