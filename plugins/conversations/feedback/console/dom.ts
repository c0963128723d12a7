type Attributes = Readonly<Record<string, string | boolean>>

/** Makes an element with attributes; true sets an attribute without a value, false leaves it out. */
export function create<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Attributes = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name)
  for (const [key, value] of Object.entries(attributes))
    if (value !== false) element.setAttribute(key, value === true ? '' : value)
  element.append(...children)
  return element
}

/** Makes an icon from the data of a path of 24 by 24 units. */
export function createIcon(data: string): SVGElement {
  const space = 'http://www.w3.org/2000/svg'
  const icon = document.createElementNS(space, 'svg')
  icon.setAttribute('viewBox', '0 0 24 24')
  icon.setAttribute('aria-hidden', 'true')
  const path = document.createElementNS(space, 'path')
  path.setAttribute('d', data)
  icon.append(path)
  return icon
}

const HAND =
  'M7 10v12M15 5.88 14 10h5.83a2 2 0 0 1 1.92 2.56l-2.33 8A2 2 0 0 1 17.5 22H4a2 2 0 0 1-2-2v-8a2 2 0 0 1 2-2h2.76a2 2 0 0 0 1.79-1.11L12 2a3.13 3.13 0 0 1 3 3.88Z'

/** Makes the icon of a thumb. */
export function createThumb(value: 1 | -1): SVGElement {
  const icon = createIcon(HAND)
  if (value === -1) icon.style.transform = 'rotate(180deg)'
  return icon
}

/** Makes a button with a word. */
export function createButton(
  word: string,
  onClick: () => void,
  attributes: Attributes = {},
): HTMLButtonElement {
  const button = create('button', { type: 'button', class: 'slot-button', ...attributes }, word)
  button.addEventListener('click', onClick)
  return button
}
