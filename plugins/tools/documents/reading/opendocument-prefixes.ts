import type { Attributes } from './opendocument-styles.ts'

/** The usual prefixes of attributes, by the ends of their namespaces. */
const USUAL_PREFIXES: Readonly<Record<string, string>> = {
  'opendocument:xmlns:office:1.0': 'office',
  'opendocument:xmlns:style:1.0': 'style',
  'opendocument:xmlns:text:1.0': 'text',
  'opendocument:xmlns:table:1.0': 'table',
  'opendocument:xmlns:drawing:1.0': 'draw',
  'opendocument:xmlns:presentation:1.0': 'presentation',
  'opendocument:xmlns:xsl-fo-compatible:1.0': 'fo',
  'http://www.w3.org/1999/xlink': 'xlink',
}
const OASIS = 'urn:oasis:names:tc:'

/**
 * Returns a function that writes the attributes of a file with the usual prefixes. It takes the attributes of all
 * elements, from the first one on, which declares the prefixes.
 */
export function createPrefixes(): (attributes: Attributes) => Attributes {
  let unusual: Map<string, string> | undefined
  return (attributes) => {
    unusual ??= findUnusual(attributes)
    if (unusual.size === 0) return attributes
    const renamed: Record<string, string> = {}
    for (const [name, value] of Object.entries(attributes)) {
      const colon = name.indexOf(':')
      const prefix = colon > 0 ? unusual.get(name.slice(0, colon)) : undefined
      renamed[prefix ? prefix + name.slice(colon) : name] = value
    }
    return renamed
  }
}

/** Returns the usual prefix of each other one that an element declares. */
function findUnusual(attributes: Attributes): Map<string, string> {
  const unusual = new Map<string, string>()
  for (const [name, value] of Object.entries(attributes)) {
    const prefix = name.startsWith('xmlns:') ? name.slice(6) : undefined
    const usual = USUAL_PREFIXES[value.startsWith(OASIS) ? value.slice(OASIS.length) : value]
    if (prefix && usual && usual !== prefix) unusual.set(prefix, usual)
  }
  return unusual
}
