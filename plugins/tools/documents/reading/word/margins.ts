import type { Archive } from '../archive.ts'
import type { Block } from '../blocks.ts'
import { findChild, isOn, visitElements, type XmlElement } from '../xml-tree.ts'
import { createStory, type WordParts } from './story.ts'

/** The names of the references to heads or feet, and of their root element. */
const NAMES = {
  header: { reference: 'headerReference', root: 'hdr' },
  footer: { reference: 'footerReference', root: 'ftr' },
}

/** Returns the heads or feet of the pages of a document, each text once; `targets` are files by their relations. */
export function readMargins(
  archive: Archive,
  parts: WordParts,
  kind: 'header' | 'footer',
  {
    sections,
    targets,
    settings,
  }: { sections: readonly XmlElement[]; targets: ReadonlyMap<string, string>; settings: string | undefined },
): Block[] {
  const { reference, root } = NAMES[kind]
  const hasEvenPages = readSwitch(archive, settings, 'evenAndOddHeaders')
  const files = new Set<string>()
  for (const section of sections)
    for (const { name, attributes } of section.children) {
      const { id = '', type = 'default' } = attributes
      const isShown =
        type === 'default' || (type === 'even' ? hasEvenPages : isOn(findChild(section, 'titlePg')))
      const file = targets.get(id)
      if (name === reference && isShown && file !== undefined) files.add(file)
    }
  const texts = new Map<string, Block>()
  for (const file of files) {
    const story = createStory(parts, { isMargin: true })
    visitElements(archive, file, root, story.read)
    for (const block of story.end()) if (!texts.has(block.text)) texts.set(block.text, toText(block))
  }
  return [...texts.values()]
}

/** Returns a block that is no heading: the text of the document is not below it. */
const toText = (block: Block): Block =>
  block.kind === 'heading' ? { kind: 'text', text: block.text } : block

function readSwitch(archive: Archive, file: string | undefined, name: string): boolean {
  let state = false
  if (file !== undefined)
    visitElements(archive, file, 'settings', (element) => {
      if (element.name === name) state = isOn(element) ?? false
    })
  return state
}
