import type { Archive } from '../archive.ts'
import { findChild, findValue, isOn, visitElements, type XmlElement } from '../xml-tree.ts'
import { formatNumber } from './number-formats.ts'
import type { Style, Styles } from './styles.ts'

/** A level of a list. */
interface Level {
  start: number
  format: string
  /** The pattern of the label, such as `%1.%2.`. */
  text: string
  /** True if the numbers of all levels are decimal. */
  isLegal: boolean
  /** The text between the label and the paragraph. */
  gap: string
  /** The level after which numbers begin again, counted from 1; zero for none. */
  restart?: number
  style?: string
}

/** A list of a document; several may count together, since they share their definition. */
interface List {
  definition: string
  levels: ReadonlyMap<number, Level>
  /** The numbers at which this list begins again, by levels. */
  starts: ReadonlyMap<number, number>
}

const LEVELS = 9
/** The longest pattern of a label. */
const MAX_PATTERN = 200

/** The lists of a document. */
export type Numbering = ReturnType<typeof readNumbering>

/** Reads the definitions of lists. */
export function readNumbering(archive: Archive, file: string | undefined, styles: Styles) {
  const definitions = new Map<string, { levels: Map<number, Level>; link?: string }>()
  const numbers = new Map<string, XmlElement>()
  if (file !== undefined)
    visitElements(archive, file, 'numbering', (element) => {
      const { abstractNumId, numId } = element.attributes
      if (element.name === 'abstractNum' && abstractNumId !== undefined)
        definitions.set(abstractNumId, {
          levels: new Map(element.children.filter(isLevel).map(toLevel)),
          link: findValue(element, 'numStyleLink'),
        })
      else if (element.name === 'num' && numId !== undefined) numbers.set(numId, element)
    })
  const lists = new Map<string, List | undefined>()

  function findList(numId: string): List | undefined {
    if (!lists.has(numId)) lists.set(numId, resolve(numId))
    return lists.get(numId)
  }

  function resolve(numId: string): List | undefined {
    const number = numbers.get(numId)
    let definition = findValue(number, 'abstractNumId') ?? ''
    // A definition may be that of a style of lists.
    const link = definitions.get(definition)?.link
    const linkedNumId = link === undefined ? undefined : styles.findStyle(link).numId
    if (linkedNumId !== undefined)
      definition = findValue(numbers.get(linkedNumId), 'abstractNumId') ?? definition
    const levels = new Map(definitions.get(definition)?.levels)
    if (levels.size === 0) return undefined
    const starts = new Map<number, number>()
    for (const override of number?.children ?? []) {
      if (override.name !== 'lvlOverride' || !hasLevel(override)) continue
      const own = findChild(override, 'lvl')
      if (own && isLevel(own)) levels.set(...toLevel(own))
      const start = findValue(override, 'startOverride')
      if (start !== undefined) starts.set(Number(override.attributes.ilvl), toInteger(start, 1))
    }
    return { definition, levels, starts }
  }

  return {
    /** Creates the counters of a text whose paragraphs are read in their order. */
    createCounters() {
      const counters = new Map<string, (number | undefined)[]>()
      const begun = new Set<string>()

      /** Counts a paragraph; returns its label with the gap behind it: `- ` for a bullet. */
      return function countParagraph(properties: XmlElement | undefined, style: Style): string {
        const direct = findChild(properties, 'numPr')
        const numId = findValue(direct, 'numId') ?? style.numId
        const list = numId === undefined ? undefined : findList(numId)
        if (!list || numId === undefined) return ''
        const ilvl = toInteger(findValue(direct, 'ilvl'), findStyleLevel(list, style) ?? style.ilvl ?? 0)
        const level = list.levels.get(ilvl)
        if (!level) return ''

        const counts = counters.get(list.definition) ?? Array.from({ length: LEVELS }, () => undefined)
        counters.set(list.definition, counts)
        if (!begun.has(numId)) for (const started of list.starts.keys()) counts[started] = undefined
        begun.add(numId)
        const startOf = (index: number) => list.starts.get(index) ?? list.levels.get(index)?.start ?? 1
        // A level that is skipped counts as begun.
        for (let upper = 0; upper < ilvl; upper += 1) counts[upper] ??= startOf(upper)
        const count = counts[ilvl]
        counts[ilvl] = count === undefined ? startOf(ilvl) : count + 1
        for (let deeper = ilvl + 1; deeper < LEVELS; deeper += 1) {
          const restart = list.levels.get(deeper)?.restart
          if (restart === undefined || ilvl < restart) counts[deeper] = undefined
        }

        // A paragraph that continues an item may have a blank as its bullet.
        if (level.format === 'bullet') return level.text.trim() === '' ? '' : '- '
        const label = level.text.replace(/%([1-9])/g, (_, digit: string) => {
          const index = Number(digit) - 1
          const format = list.levels.get(index)?.format
          return formatNumber(
            counts[index] ?? startOf(index),
            level.isLegal && format !== 'none' ? 'decimal' : format,
          )
        })
        return label.trim() === '' ? '' : `${label}${level.gap}`
      }
    },
  }
}

const findStyleLevel = ({ levels }: List, { ids }: Style): number | undefined =>
  ids.map((id) => [...levels].find(([, { style }]) => style === id)?.[0]).find((ilvl) => ilvl !== undefined)

const hasLevel = ({ attributes }: XmlElement): boolean => /^[0-8]$/.test(attributes.ilvl ?? '')

const isLevel = (element: XmlElement): boolean => element.name === 'lvl' && hasLevel(element)

function toLevel(element: XmlElement): [ilvl: number, level: Level] {
  const restart = findValue(element, 'lvlRestart')
  const isHidden = isOn(findChild(element, 'rPr', 'vanish')) ?? false
  const level = {
    start: toInteger(findValue(element, 'start'), 0),
    format: findFormat(element),
    text: isHidden ? '' : (findValue(element, 'lvlText') ?? '').slice(0, MAX_PATTERN),
    isLegal: isOn(findChild(element, 'isLgl')) ?? false,
    gap: findValue(element, 'suff') === 'nothing' ? '' : ' ',
    ...(restart !== undefined && { restart: toInteger(restart, LEVELS) }),
    style: findValue(element, 'pStyle'),
  }
  return [Number(element.attributes.ilvl), level]
}

/** Returns the format of numbers: `decimalZero` for one that a newer program describes by its first numbers. */
function findFormat(level: XmlElement): string {
  const format = findChild(level, 'numFmt') ?? findChild(level, 'AlternateContent', 'Choice', 'numFmt')
  const { val = 'decimal', format: example = '' } = format?.attributes ?? {}
  if (val !== 'custom') return val
  if (example.startsWith('01')) return 'decimalZero'
  return findValue(level, 'AlternateContent', 'Fallback', 'numFmt') ?? 'decimal'
}

const toInteger = (text: string | undefined, fallback: number): number =>
  text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : fallback
