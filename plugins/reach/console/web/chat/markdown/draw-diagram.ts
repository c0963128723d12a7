import DOMPurify from 'dompurify'
import mermaid from 'mermaid'

/** A diagram as a picture. */
export interface Diagram {
  /** The drawing, which contains no scripts, links, HTML or addresses. */
  svg: string
  /** Its size in pixels. */
  width: number
  height: number
  /** The title that its author has given it for people who do not see it. */
  title?: string
}

/** The most of a diagram that is drawn: drawing blocks the page. */
const MAX_CHARS = 10_000
const MAX_LINES = 250
const MAX_EDGES = 150
const MAX_PX = 20_000
/** The drawings that are kept, because messages out of view are not. */
const MAX_KEPT = 30

/** Numbers for which some kinds of diagrams count step by step: widths of packets, durations, and years. */
const COUNTED = /^\s*(?:packet|gantt)/m
const LARGE = /\d{5}|\b(?:[03-9]\d|1[0-8]|2[1-9])\d\d-/

/** Tags that only make letters bold, or the like: labels are plain text with line breaks. */
const FORMATTING = /<\/?(?:b|i|u|s|strong|em|small|big|sub|sup|code|span|p|div|center|font)(?:\s[^<>]*)?>/gi
/** Marks of classes, line breaks, and the beginning of any other tag. */
const TAG = /<<\w[\w -]*>>|<br\s*\/?>|<(?=[a-z!/?])/gi

/** A picture in a diagram, which is asked for while the diagram is measured. */
const PICTURE = /@\{[^}]*\bimg\b/i

/** Menus of links in sequence diagrams. */
const MENUS = /^[ \t]*(?:links?|properties|details)\b.*$/gm

/** Settings that a diagram may not change; Mermaid protects some others itself. */
const SECURE = [
  'altFontFamily',
  'darkMode',
  'deterministicIds',
  'dompurifyConfig',
  'fontFamily',
  'htmlLabels',
  'layout',
  'theme',
  'themeCSS',
  'themeVariables',
]

mermaid.initialize({
  startOnLoad: false,
  securityLevel: 'strict',
  suppressErrorRendering: true,
  maxTextSize: MAX_CHARS,
  maxEdges: MAX_EDGES,
  htmlLabels: false,
  flowchart: { htmlLabels: false },
  gantt: { useWidth: 760 },
  fontFamily: 'system-ui, "Segoe UI", Roboto, "Noto Sans", "PingFang SC", "Noto Sans CJK SC", sans-serif',
  secure: [
    'secure',
    'securityLevel',
    'startOnLoad',
    'maxTextSize',
    'suppressErrorRendering',
    'maxEdges',
    ...SECURE,
  ],
})

const drawings = new Map<string, Diagram>()
let last: Promise<unknown> = Promise.resolve()
let lastId = 0

/** Returns the drawing of a diagram if it is kept. */
export const findDrawing = (code: string): Diagram | undefined => drawings.get(code)

/** Draws a diagram in the language of Mermaid, after those that were asked for before; rejects if it cannot be drawn. */
export function drawDiagram(code: string): Promise<Diagram> {
  const drawing = last.then(async () => drawings.get(code) ?? keep(code, await draw(code)))
  last = drawing.catch(() => {})
  return drawing
}

function keep(code: string, diagram: Diagram): Diagram {
  drawings.set(code, diagram)
  const [oldest] = drawings.keys()
  if (drawings.size > MAX_KEPT && oldest !== undefined) drawings.delete(oldest)
  return diagram
}

async function draw(code: string): Promise<Diagram> {
  const isLarge = code.length > MAX_CHARS || code.split('\n').length > MAX_LINES
  if (isLarge || (COUNTED.test(code) && LARGE.test(code))) throw new Error('The diagram is too large.')
  if (PICTURE.test(code)) throw new Error('The diagram contains a picture.')
  lastId += 1
  // Mermaid measures labels in the page, so no label may be HTML.
  const text = (code.includes('sequenceDiagram') ? code.replace(MENUS, '') : code)
    .replace(FORMATTING, '')
    .replace(TAG, (all) => (all === '<' ? '‹' : all))
  const { svg } = await mermaid.render(`diagram-${lastId}`, text)
  return toDiagram(svg)
}

function toDiagram(drawn: string): Diagram {
  // A link carries the place of what it contains, so it becomes a group.
  const body = DOMPurify.sanitize(drawn.replace(/<(\/?)a(?=[\s>])/g, '<$1g'), {
    USE_PROFILES: { svg: true, svgFilters: true },
    FORBID_TAGS: ['a', 'foreignObject', 'image', 'use', 'animate', 'set'],
    FORBID_ATTR: ['href', 'xlink:href'],
    RETURN_DOM: true,
  })
  const svg = body.querySelector('svg')
  if (!svg) throw new Error('The diagram has no drawing.')
  assertInert(svg)
  const [, , width = 0, height = 0] = (svg.getAttribute('viewBox') ?? '').split(/[\s,]+/).map(Number)
  if (!(width > 0 && height > 0 && width <= MAX_PX && height <= MAX_PX))
    throw new Error('The diagram has no size.')
  svg.setAttribute('width', String(width))
  svg.setAttribute('height', String(height))
  svg.style.maxWidth = ''
  const title = svg.querySelector(':scope > title')?.textContent?.trim()
  const text = new XMLSerializer().serializeToString(svg)
  return { svg: text, width, height, ...(title && { title }) }
}

/** Styles that load something, or could. */
const LOADING = /\\|@import|@font-face|image-set|url\(\s*(?!["']?#)/i
const STYLES = ['style', 'fill', 'stroke', 'filter', 'mask', 'clip-path', 'cursor']

/** Throws if a drawing would load something when a person opens its file. */
function assertInert(svg: SVGElement): void {
  const styles = [...svg.querySelectorAll('style')].map(({ textContent }) => textContent ?? '')
  const attributes = [svg, ...svg.querySelectorAll('*')].flatMap((element) =>
    STYLES.map((name) => element.getAttribute(name) ?? ''),
  )
  if ([...styles, ...attributes].some((style) => LOADING.test(style)))
    throw new Error('The diagram refers to something outside of it.')
}
