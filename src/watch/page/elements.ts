type Child = Node | string | undefined;

/** Texts stay texts, whatever they contain. */
export function element(
  name: string,
  attributes: Readonly<Record<string, string | number | undefined>> = {},
  ...children: readonly Child[]
): HTMLElement {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== undefined) made.setAttribute(key, String(value));
  }
  made.append(...children.filter((child) => child !== undefined).filter((child) => child !== ''));
  return made;
}

/**
 * Replaces an element's children, but keeps old ones with the same name and `data-key`. So the focus and a selection stay,
 * and nothing flickers.
 */
export function updateChildren(shown: Node, wanted: readonly Node[]): void {
  const old = new Map<string, ChildNode[]>();
  for (const child of shown.childNodes) {
    const same = old.get(keyOf(child));
    if (same) same.push(child);
    else old.set(keyOf(child), [child]);
  }
  const children = wanted.map((want) => {
    const child = old.get(keyOf(want))?.shift();
    if (child) update(child, want);
    return child ?? want;
  });
  for (const child of [...old.values()].flat()) child.remove();
  children.forEach((child, index) => {
    const there = shown.childNodes[index];
    if (there !== child) shown.insertBefore(child, there ?? null);
  });
}

function keyOf(node: Node): string {
  return `${node.nodeName} ${node instanceof HTMLElement ? node.dataset.key : ''}`;
}

function update(shown: Node, wanted: Node): void {
  if (shown instanceof Text && wanted instanceof Text) {
    if (shown.data !== wanted.data) shown.data = wanted.data;
  }
  if (!(shown instanceof Element && wanted instanceof Element)) return;
  for (const name of shown.getAttributeNames()) {
    if (!wanted.hasAttribute(name)) shown.removeAttribute(name);
  }
  for (const name of wanted.getAttributeNames()) {
    const value = wanted.getAttribute(name) ?? '';
    if (shown.getAttribute(name) !== value) shown.setAttribute(name, value);
  }
  updateChildren(shown, [...wanted.childNodes]);
}

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
