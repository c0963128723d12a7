import { findChild, findValue, isOn, type XmlElement } from './xml-tree.ts'

/** The longest equation that is laid out: its parts are looked at again at each level. */
const MAX_CHARS = 20_000

/**
 * Returns an equation of an Office document (OMML) as one line, such as `x=(-b±√(b^2-4ac))/(2a)`; one that is too long is
 * the sequence of its signs.
 */
export function readEquation(element: XmlElement): string {
  const signs = listSigns(element)
  const length = signs.reduce((sum, sign) => sum + sign.length, 0)
  return length > MAX_CHARS ? signs.join(' ') : readAll(element.children)
}

/** Returns the texts of an equation. */
function listSigns(element: XmlElement, signs: string[] = []): string[] {
  if (element.name === 't') signs.push(element.text)
  for (const child of element.children) if (!isProperty(child)) listSigns(child, signs)
  return signs
}

/** True for the properties of a part and for deleted parts, which contain no text that is shown. */
const isProperty = ({ name }: XmlElement): boolean =>
  name.endsWith('Pr') || name === 'del' || name === 'moveFrom'

const readAll = (elements: readonly XmlElement[]): string => elements.map(readElement).join('')

/** Returns the text of a part of an element, such as its numerator. */
const readPart = (element: XmlElement, name: string): string =>
  readAll(findChild(element, name)?.children ?? [])

/** Returns the text of each part of that name. */
const readParts = (element: XmlElement, name: string): string[] =>
  element.children.filter((child) => child.name === name).map((child) => readAll(child.children))

/** Puts a part in brackets if it is more than one number, word or expression in brackets. */
export const group = (text: string): string =>
  /^(\p{N}[\p{N}.,]*|[\p{L}\p{M}]*|∞)['′!]*$/u.test(text) || isBracketed(text) ? text : `(${text})`

/** Puts a part of a fraction in brackets if it is more than that, or such a part with an index or a power. */
const groupProduct = (text: string): string =>
  /^[\p{L}\p{M}\p{N}]+([_^][\p{L}\p{M}\p{N}]+)+$/u.test(text) ? text : group(text)

/** True if the bracket that begins a text ends at its end. */
function isBracketed(text: string): boolean {
  if (!/^[([{〈]/.test(text)) return false
  let depth = 0
  for (let index = 0; index < text.length; index += 1) {
    if ('([{〈'.includes(text[index]!)) depth += 1
    else if (')]}〉'.includes(text[index]!)) depth -= 1
    if (depth === 0) return index === text.length - 1
  }
  return false
}

const lower = (text: string) => (text === '' ? '' : `_${group(text)}`)
const upper = (text: string) => (text === '' ? '' : `^${group(text)}`)

/** Joins a function and its argument. */
const apply = (name: string, argument: string) =>
  /^[(|[{]/.test(argument) || argument === '' ? `${name}${argument}` : `${name} ${argument}`

const ROOTS: Record<string, string> = { '': '√', 2: '√', 3: '∛', 4: '∜' }

const READERS: Record<string, (element: XmlElement) => string> = {
  t: (element) => element.text,
  f(element) {
    const [top, bottom] = [readPart(element, 'num'), readPart(element, 'den')]
    const isStack = findValue(element, 'fPr', 'type') === 'noBar'
    return isStack ? `${top}, ${bottom}` : `${groupProduct(top)}/${groupProduct(bottom)}`
  },
  sSup: (element) => `${group(readPart(element, 'e'))}${upper(readPart(element, 'sup'))}`,
  sSub: (element) => `${group(readPart(element, 'e'))}${lower(readPart(element, 'sub'))}`,
  sSubSup: (element) =>
    `${group(readPart(element, 'e'))}${lower(readPart(element, 'sub'))}${upper(readPart(element, 'sup'))}`,
  sPre: (element) =>
    `${lower(readPart(element, 'sub'))}${upper(readPart(element, 'sup'))}${group(readPart(element, 'e'))}`,
  rad(element) {
    const degree = isOn(findChild(element, 'radPr', 'degHide')) ? '' : readPart(element, 'deg')
    const content = readPart(element, 'e')
    const sign = ROOTS[degree] ?? `√[${degree}]`
    return `${sign}${isBracketed(content) ? content : `(${content})`}`
  },
  nary(element) {
    const sign = findValue(element, 'naryPr', 'chr') ?? '∫'
    const limits = `${lower(readPart(element, 'sub'))}${upper(readPart(element, 'sup'))}`
    return `${sign}${limits} ${readPart(element, 'e')}`
  },
  d(element) {
    const begin = findValue(element, 'dPr', 'begChr') ?? '('
    const end = findValue(element, 'dPr', 'endChr') ?? ')'
    const separator = findValue(element, 'dPr', 'sepChr') ?? '|'
    return `${begin}${readParts(element, 'e').join(separator)}${end}`
  },
  m: (element) =>
    element.children
      .filter(({ name }) => name === 'mr')
      .map((row) => readParts(row, 'e').join(', '))
      .join('; '),
  eqArr: (element) =>
    readParts(element, 'e')
      .map((line) => line.replaceAll('&', ''))
      .join('; '),
  func: (element) => apply(readPart(element, 'fName'), readPart(element, 'e')),
  limLow: (element) => `${readPart(element, 'e')}${lower(readPart(element, 'lim'))}`,
  limUpp: (element) => `${readPart(element, 'e')}${upper(readPart(element, 'lim'))}`,
  acc(element) {
    const base = readPart(element, 'e')
    return [...base].length === 1 ? `${base}${findValue(element, 'accPr', 'chr') ?? '\u0302'}` : base
  },
  br: () => ' ',
  tab: () => ' ',
}

function readElement(element: XmlElement): string {
  if (isProperty(element)) return ''
  return Object.hasOwn(READERS, element.name) ? READERS[element.name]!(element) : readAll(element.children)
}
