import type { Archive } from './archive.ts'
import { ReadingFailure } from './reading-failure.ts'
import { readXml } from './xml.ts'

/** An element of an XML file; its name and the names of its attributes lack their prefixes. */
export interface XmlElement {
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
  readonly children: readonly XmlElement[]
  /** The text between its tags, without that of its children. */
  readonly text: string
}

/** The most elements within one that is visited: each takes about 200 bytes. */
const MAX_ELEMENTS = 1_000_000

const NO_ATTRIBUTES: XmlElement['attributes'] = {}
const NO_CHILDREN: readonly XmlElement[] = []

/**
 * Visits the elements in the first element of a name, one after the other, so that only one of them is in memory;
 * elements whose names are in `omitted` are left out. Returns false if no element has that name. Throws
 * DOCUMENT_TOO_LARGE if one of them contains too much.
 */
export function visitElements(
  archive: Archive,
  file: string,
  parentName: string,
  visit: (element: XmlElement) => void,
  omitted: ReadonlySet<string> = new Set(),
): boolean {
  let isInside = false
  let hasParent = false
  let count = 0
  /** The number of open elements that are left out. */
  let skipped = 0
  const open: (XmlElement & { children: XmlElement[]; text: string })[] = []
  readXml(archive, file, {
    open(name, attributes) {
      if (!isInside) {
        isInside = name === parentName && !hasParent
        hasParent ||= isInside
        return
      }
      if (skipped > 0 || omitted.has(name)) {
        skipped += 1
        return
      }
      count += 1
      if (count > MAX_ELEMENTS) throw new ReadingFailure('DOCUMENT_TOO_LARGE')
      const element = {
        name,
        attributes: withoutPrefixes(attributes),
        children: NO_CHILDREN as XmlElement[],
        text: '',
      }
      const parent = open.at(-1)
      if (parent?.children === NO_CHILDREN) parent.children = [element]
      else parent?.children.push(element)
      open.push(element)
    },
    text(text) {
      const element = open.at(-1)
      if (element && skipped === 0) element.text += text
    },
    close() {
      if (!isInside) return
      if (skipped > 0) {
        skipped -= 1
        return
      }
      const element = open.pop()
      if (!element) isInside = false
      else if (open.length === 0) {
        count = 0
        visit(element)
      }
    },
  })
  return hasParent
}

/** Returns attributes by their names without prefixes; declarations of namespaces are left out. */
export function withoutPrefixes(attributes: Readonly<Record<string, string>>): XmlElement['attributes'] {
  let own: Record<string, string> | undefined
  for (const name in attributes) {
    if (name.startsWith('xmlns')) continue
    own ??= {}
    own[name.slice(name.indexOf(':') + 1)] = attributes[name]!
  }
  return own ?? NO_ATTRIBUTES
}

/** Returns the element at a path of names below another one. */
export function findChild(element: XmlElement | undefined, ...path: string[]): XmlElement | undefined {
  return path.reduce<XmlElement | undefined>(
    (parent, name) => parent?.children.find((child) => child.name === name),
    element,
  )
}

/** Returns the attribute `val` of the element at a path of names below another one. */
export const findValue = (element: XmlElement | undefined, ...path: string[]): string | undefined =>
  findChild(element, ...path)?.attributes.val

const OFF = /^(0|false|off|none)$/i

/** Returns the state of a switch: undefined if it is missing, and true if it has no value. */
export const isOn = (element: XmlElement | undefined): boolean | undefined =>
  element && !OFF.test(element.attributes.val ?? '')
