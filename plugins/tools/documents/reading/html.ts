import { Parser } from 'htmlparser2'
import type { Block } from './blocks.ts'
import { type Attributes, findLevel, findZone, isBlock, isHidden, type Zone } from './html-elements.ts'
import { createItemMarks, type ItemMarks } from './html-list.ts'
import { chooseContent, toAddress } from './html-page.ts'
import type { PlaceIndex } from './html-places.ts'
import { createRegion, isRegion, type Region } from './html-regions.ts'
import { markAdded, markReplaced, splitRuns, withoutMarks } from './html-runs.ts'
import type { HidingRules } from './html-styles.ts'
import { addCell, closeTable, createTable, type HtmlTable, type Piece } from './html-table.ts'
import { createFormula, type Formula } from './mathml.ts'
import { ReadingFailure } from './reading-failure.ts'

/** The most elements that are open at a time; the parser looks through them at each tag. */
const MAX_DEPTH = 5000
/** The most tables within each other, since the text of an inner one is copied into each outer one. */
const MAX_TABLES = 20
/** The longest text of a link that is compared with its address. */
const MAX_LINK_CHARS = 2000

/** Elements whose button unfolds the text below. */
const UNFOLDING = new Set(['summary', 'dt'])

/** Elements that no browser shows. */
const UNSEEN = new Set(['script', 'style', 'template', 'meta', 'link'])

/** The pieces of a page, with the regions that they are in. */
interface ParsedPage {
  title?: string
  pieces: Piece[]
  regions: Region[]
}

/** The address of a web page, the index of its places, and the rules that hide its elements. */
interface WebOptions {
  base?: string
  index?: PlaceIndex
  rules?: HidingRules
}

/** An open element; a drawing shows only its words. */
interface Element {
  name: string
  visibility: 'shown' | 'drawing' | 'hidden'
  zone: Zone
  region: Region
  isLink?: boolean
  close?: () => void
}

/**
 * Returns the headings, paragraphs, lists, tables and code of an HTML document: of its main part if it has one. It
 * begins with its title unless it has headings. Throws DOCUMENT_TOO_LARGE if it is nested too deeply.
 */
export function readHtml(source: string): Block[] {
  const { title, pieces } = parsePage(source)
  const blocks = toBlocks(pieces)
  const isTitled = title === undefined || blocks.some(({ kind }) => kind === 'heading')
  return isTitled ? blocks : [{ kind: 'heading', level: 1, text: title }, ...blocks]
}

/** Reads a document as readHtml does, without its title. */
export const readBlocks = (source: string): Block[] => toBlocks(parsePage(source).pieces)

const toBlocks = (pieces: readonly Piece[]) => chooseContent(pieces).map(({ block }) => block)

/**
 * Returns everything that a page shows. With a `base`, links have their addresses behind them, and pictures are marked.
 * Throws like readHtml.
 */
export function parsePage(source: string, { base, index, rules }: WebOptions = {}): ParsedPage {
  const regions = [createRegion('', {})]
  const elements: Element[] = [{ name: '', visibility: 'shown', zone: 'body', region: regions[0]! }]
  const tables: HtmlTable[] = []
  const lists: ItemMarks[] = []
  const links: { address: string; text: string }[] = []
  const pieces: Piece[] = []
  let address = base
  let text = ''
  let title: string | undefined
  let level: number | undefined
  let codeDepth = 0
  let anchors = 0
  let scriptless = 0
  let isAfterGap = false
  /** The links of the paragraph, and the characters in them. */
  let linkage = { count: 0, length: 0 }
  let formula: Formula | undefined
  let item: { mark: string; list?: ItemMarks } | undefined
  let options: { text: string; isSelected: boolean }[] | undefined

  const current = () => elements.at(-1)!
  const sink = () => tables.at(-1)?.cell?.pieces ?? pieces
  const take = (part: string) => {
    text += part
    const link = links.at(-1)
    if (link && link.text.length < MAX_LINK_CHARS) link.text += part
  }
  /** Ends a paragraph. */
  const flush = () => {
    const content = text.replace(/[\u00ad\u200b\ufeff]/g, '')
    const { count, length } = linkage
    text = ''
    linkage = { count: 0, length: 0 }
    if (withoutMarks(content).trim() === '') {
      isAfterGap ||= content.includes(markReplaced())
      return
    }
    const kind = codeDepth > 0 ? 'code' : 'text'
    // Steps are often headings in a list; their numbers matter, dots do not.
    const mark = kind === 'code' || (level !== undefined && item?.mark === '- ') ? undefined : item?.mark
    const marked = mark ? markAdded(mark) + content.trimStart() : content
    const { text: own, runs, hasGap } = splitRuns(kind, marked)
    const block: Block = level === undefined ? { kind, text: own } : { kind: 'heading', level, text: own }
    item?.list?.keep(block)
    item = undefined
    const { zone, region } = current()
    // Browsers run scripts.
    const placed =
      scriptless > 0 || !index
        ? undefined
        : runs.map(({ at, text, ...run }, n) => ({
            at,
            text,
            offset: 0,
            index: index.add(text, run.isAfterGap || (n === 0 && isAfterGap)),
          }))
    isAfterGap = hasGap
    const size = runs.reduce((sum, run) => sum + run.text.length, 0)
    sink().push({
      block,
      zone,
      region,
      text: Math.max(0, size - length),
      linked: Math.min(length, size),
      links: count,
      runs: placed,
    })
  }
  const endCell = () => {
    flush()
    const table = tables.at(-1)
    if (table) table.cell = undefined
  }
  /** Takes only the text until the element ends, which is then handed over. */
  const capture = (done: (part: string) => void) => {
    const outer = text
    text = ''
    return () => {
      const part = text
      text = outer
      done(part)
    }
  }

  /** Begins an element; the function that is returned ends it. */
  const openElement = (name: string, attributes: Attributes): (() => void) | undefined => {
    if (formula) {
      const outer = formula
      outer.open(name)
      return () => outer.close()
    }
    const heading = findLevel(name, attributes)
    if (heading !== undefined) {
      flush()
      level = heading
      return () => {
        flush()
        level = undefined
      }
    }
    if (isBlock(name)) flush()
    switch (name) {
      case 'table': {
        const outer = tables.at(-1)
        if (outer) outer.hasTable = true
        const table = createTable(attributes)
        tables.push(table)
        if (tables.length > MAX_TABLES) throw new ReadingFailure('DOCUMENT_TOO_LARGE')
        return () => {
          endCell()
          tables.splice(tables.indexOf(table))
          // One by one: a page may have more pieces than a call can have arguments.
          for (const piece of closeTable(table, current())) sink().push(piece)
        }
      }
      case 'thead':
      case 'tbody':
      case 'tfoot': {
        endCell()
        const table = tables.at(-1)
        if (!table) return
        table.section = name
        return () => {
          endCell()
          table.section = 'tbody'
        }
      }
      case 'tr': {
        endCell()
        const table = tables.at(-1)
        table?.rows[table.section].push([])
        return endCell
      }
      case 'td':
      case 'th': {
        endCell()
        const table = tables.at(-1)
        if (!table) return flush
        const cell = addCell(table, name, attributes)
        return () => {
          if (table.cell === cell) endCell()
        }
      }
      case 'ol':
      case 'ul':
      case 'menu':
      case 'dir': {
        const list = createItemMarks(name, attributes)
        lists.push(list)
        return () => {
          flush()
          lists.pop()
          list.end()
        }
      }
      case 'li': {
        const list = lists.at(-1)
        item = { mark: list?.next(attributes) ?? '- ', list }
        return () => {
          flush()
          item = undefined
        }
      }
      case 'pre':
        codeDepth += 1
        return () => {
          flush()
          codeDepth -= 1
        }
      case 'math': {
        const line = createFormula()
        formula = line
        return () => {
          formula = undefined
          take(markReplaced(` ${line} `))
        }
      }
      case 'br':
        take('\n')
        return
      case 'img': {
        const alt = withoutMarks(attributes.alt ?? '')
          .replace(/\s+/g, ' ')
          .trim()
        take(markReplaced(alt && (base === undefined ? ` ${alt} ` : `[image: ${alt}]`)))
        return
      }
      case 'button':
      case 'textarea':
        // Browsers search them apart.
        take(markReplaced())
        return () => take(markReplaced())
      case 'noscript':
        scriptless += 1
        return () => {
          flush()
          scriptless -= 1
        }
      case 'base':
        if (attributes.href) address = toAddress(attributes.href, base) || base
        return
      case 'a': {
        const target = address === undefined ? '' : toAddress(attributes.href, address)
        if (target === '') return
        links.push({ address: target, text: '' })
        return () => {
          const label = withoutMarks(links.pop()?.text ?? '').trim()
          if (label && label !== target && `${label}/` !== target) take(markAdded(` (${target})`))
        }
      }
      case 'input': {
        const { type = 'text', value = '' } = attributes
        if (/^(checkbox|radio)$/i.test(type)) take(markReplaced('checked' in attributes ? '[x] ' : '[ ] '))
        else if (!/^(hidden|password|submit|reset|button|image|file)$/i.test(type))
          take(markReplaced(` ${value} `))
        return
      }
      case 'select': {
        const chosen: typeof options = []
        options = chosen
        return capture(() => {
          options = undefined
          const selected = chosen.filter(({ isSelected }) => isSelected)
          const texts = (selected.length > 0 ? selected : chosen.slice(0, 1)).map(({ text }) => text.trim())
          take(markReplaced(withoutMarks(texts.join(', '))))
        })
      }
      case 'option':
        return capture((part) => options?.push({ text: part, isSelected: 'selected' in attributes }))
      case 'sup':
        return capture((part) =>
          take(/\d$/.test(text) && /^\s*[-−]?\d+\s*$/.test(part) ? markAdded('^') + part.trim() : part),
        )
      case 'title': {
        if (title !== undefined) return
        return capture((part) => {
          title = withoutMarks(part).replace(/\s+/g, ' ').trim()
        })
      }
      case 'span':
        // The mark of an item of a list in Word.
        if (/mso-list\s*:\s*ignore/i.test(attributes.style ?? ''))
          return capture((part) => take(/^[·o§Øvü•]$/.test(part.trim()) ? '- ' : `${part.trim()} `))
        return
    }
    return isBlock(name) ? flush : undefined
  }

  const parser = new Parser({
    onopentag(name, attributes) {
      if (elements.length > MAX_DEPTH) throw new ReadingFailure('DOCUMENT_TOO_LARGE')
      const parent = current()
      // The text of a button is seldom content, but headings that unfold are buttons.
      const isButton = name === 'button' && level === undefined && !UNFOLDING.has(parent.name)
      const isHidden = isButton || rules?.hide(attributes)
      const visibility = isHidden ? 'hidden' : findVisibility(name, attributes, parent)
      const zone = findZone(name, attributes, parent.zone)
      const isShown = visibility === 'shown'
      if (isShown && zone !== parent.zone) flush()
      const isLink = name === 'a' && 'href' in attributes
      if (isLink) {
        anchors += 1
        linkage.count += 1
      }
      const close = isShown ? openElement(name, attributes) : undefined
      // Browsers may show it.
      if (!isShown && parent.visibility === 'shown' && !UNSEEN.has(name)) take(markReplaced())
      let { region } = parent
      if (isRegion(name, attributes)) {
        region = createRegion(name, attributes, region)
        regions.push(region)
      }
      elements.push({ name, visibility, zone, region, isLink, close })
    },
    ontext(source) {
      if (current().visibility !== 'shown') return
      const part = withoutMarks(source)
      if (formula) formula.text(part)
      else {
        const own = codeDepth > 0 ? part : part.replace(/[^\S\u00a0]+/g, ' ')
        if (anchors > 0 && own.trim() !== '') linkage.length += own.length
        take(own)
      }
    },
    onclosetag() {
      const element = current()
      element.close?.()
      if (element.isLink) anchors -= 1
      if (element.visibility === 'shown' && elements.at(-2)?.zone !== element.zone) flush()
      elements.pop()
    },
  })
  parser.end(source)
  flush()
  return { title: title || undefined, pieces, regions }
}

/** Returns the visibility of an element within another one. Of a drawing, only words are text. */
function findVisibility(name: string, attributes: Attributes, parent: Element): Element['visibility'] {
  if (parent.visibility === 'hidden' || isHidden(name, attributes)) return 'hidden'
  if (name === 'svg') return 'drawing'
  return parent.visibility === 'drawing' && name !== 'text' && name !== 'foreignobject' ? 'drawing' : 'shown'
}
