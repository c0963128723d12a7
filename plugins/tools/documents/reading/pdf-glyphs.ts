import {
  createFontUse,
  type FontUse,
  isReadable,
  type PdfFont,
  type PdfGlyph,
  readGlyph,
} from './pdf-fonts.ts'

/** The drawing of a page, as pdf.js returns it. */
export interface OperatorList {
  fnArray: readonly number[]
  argsArray: readonly unknown[]
}

/** A transformation, as in PDF. */
export type Matrix = readonly [number, number, number, number, number, number]

/**
 * A character at its place; x grows in the direction of writing, y with the lines. A space is one too. `run` numbers the
 * operators that show text.
 */
export interface Glyph {
  text: string
  x: number
  y: number
  width: number
  size: number
  isBold: boolean
  run: number
}

/** The glyphs of a page that are written in one direction. */
export interface GlyphLayer {
  /** The height of the page in this direction. */
  height: number
  glyphs: Glyph[]
}

/** The visible text of a page: text by its direction, and the number of characters that cannot be read. */
export interface PageGlyphs {
  layers: GlyphLayer[]
  readable: number
  unreadable: number
}

/** A page to read. */
export interface DrawnPage {
  list: OperatorList
  /** The names of the operators. */
  ops: Readonly<Record<string, number>>
  /** The transformation to places in points from the upper left corner, and the size of the page. */
  base: Matrix
  width: number
  height: number
  getFont(name: string): PdfFont
  /** Tells if an optional part of the document is shown. */
  isShown(group: unknown): boolean
}

/** The deepest nesting of saved states. */
const MAX_DEPTH = 1000
/** The most characters of a page. */
const MAX_GLYPHS = 2_000_000
/** The most bytes of a text that replaces what is drawn. */
const MAX_SUBSTITUTE = 1000
const FILL_AND_STROKE = 2
/** Directions are the same within this number of degrees. */
const SAME_ANGLE = 2
/** The distance of the middle of a vertical character to the baseline of horizontal ones, relative to its size. */
const MIDDLE = 0.35

interface State {
  matrix: Matrix
  text: Matrix
  x: number
  y: number
  lineX: number
  lineY: number
  use?: FontUse
  size: number
  charSpacing: number
  wordSpacing: number
  scale: number
  leading: number
  rise: number
  mode: number
}

/** A part of a page that is marked: as optional, or with a text that replaces what it draws. */
interface MarkedPart {
  isHidden: boolean
  substitute?: Substitute | undefined
}

/** A text, and the glyph that has it once one is drawn. */
interface Substitute {
  text: string
  glyph?: Glyph
}

const IDENTITY: Matrix = [1, 0, 0, 1, 0, 0]

/** Returns the characters that a page shows, at their places. */
export function readGlyphs(page: DrawnPage): PageGlyphs {
  const { list, ops, base } = page
  const uses = new Map<string, FontUse>()
  const shown: { glyph: Glyph; use: FontUse; angle: number }[] = []
  let state: State = {
    matrix: base,
    text: IDENTITY,
    x: 0,
    y: 0,
    lineX: 0,
    lineY: 0,
    size: 0,
    charSpacing: 0,
    wordSpacing: 0,
    scale: 1,
    leading: 0,
    rise: 0,
    mode: 0,
  }
  const saved: State[] = []
  const parts: MarkedPart[] = []
  /** The font of texts that replace what is drawn. */
  const trusted = createFontUse({ name: '' })
  const openPart = (tag: unknown, property?: unknown) => {
    const outer = parts.at(-1)
    const isHidden = outer?.isHidden === true || (tag === 'OC' && !page.isShown(property))
    const isText = tag !== 'OC' && typeof property === 'string'
    parts.push({ isHidden, substitute: outer?.substitute ?? (isText ? toSubstitute(property) : undefined) })
  }
  const save = () => {
    if (saved.length < MAX_DEPTH) saved.push({ ...state })
  }
  const restore = () => {
    state = saved.pop() ?? state
  }
  const transform = (matrix: Matrix | null | undefined) => {
    if (matrix) state.matrix = multiply(state.matrix, matrix)
  }
  const setFont = (name: string, size: number) => {
    const use = uses.get(name) ?? createFontUse(page.getFont(name))
    uses.set(name, use)
    Object.assign(state, { use, size })
  }
  const move = (x: number, y: number) => {
    state.x = state.lineX += x
    state.y = state.lineY += y
  }

  const show = (items: readonly (PdfGlyph | number)[], run: number) => {
    const { use, size, scale, mode } = state
    if (!use || size === 0) return
    const { font } = use
    const unit = Math.abs(font.fontMatrix?.[0] ?? 0.001)
    const matrix = multiply(state.matrix, state.text)
    const isVertical = Boolean(font.vertical)
    const [dx, dy] = isVertical
      ? [-matrix[2], -matrix[3]]
      : [matrix[0] * scale * Math.sign(size), matrix[1] * scale * Math.sign(size)]
    const angle = toAngle(dx, dy)
    const along = Math.hypot(dx, dy)
    const height = Math.hypot(matrix[2], matrix[3]) * Math.abs(size) * heightOf(font)
    const turn = createTurn(angle, turnPage(page, angle).origin + (isVertical ? MIDDLE * height : 0))
    const { isHidden = false, substitute } = parts.at(-1) ?? {}
    for (const item of items) {
      if (typeof item === 'number') {
        const step = (-item / 1000) * size
        if (isVertical) state.y += step
        else state.x += step * scale
        continue
      }
      const spacing = state.charSpacing + (item.isSpace ? state.wordSpacing : 0)
      const metric = item.vmetric ?? font.defaultVMetrics
      const advance = isVertical
        ? -(metric?.[0] ?? -1000) * unit * size - spacing
        : item.width * unit * size + spacing
      const ink = isVertical ? advance : item.width * unit * size
      if (!isHidden && shown.length < MAX_GLYPHS) {
        const x = matrix[0] * state.x + matrix[2] * (state.y + state.rise) + matrix[4]
        const y = matrix[1] * state.x + matrix[3] * (state.y + state.rise) + matrix[5]
        const glyph = {
          text: substitute?.text ?? readGlyph(use, item),
          ...turn(x, y),
          width: Math.abs(ink) * along,
          size: height,
          isBold: use.isBold || mode === FILL_AND_STROKE,
          run,
        }
        const isOnPage = x >= -1 && y >= -1 && x <= page.width + 1 && y <= page.height + height
        if (isOnPage && substitute?.glyph) extend(substitute.glyph, glyph)
        else if (isOnPage && glyph.text !== '') {
          shown.push({ glyph, use: substitute ? trusted : use, angle })
          if (substitute) substitute.glyph = glyph
        }
      }
      if (isVertical) state.y -= advance
      else state.x += advance * scale
    }
  }

  // biome-ignore lint/suspicious/noExplicitAny: each operator has arguments of its own.
  const actions: Record<number, (args: any, index: number) => void> = {
    [ops.save!]: save,
    [ops.restore!]: restore,
    [ops.transform!]: transform,
    [ops.paintFormXObjectBegin!]: ([matrix]) => {
      save()
      transform(matrix)
    },
    [ops.paintFormXObjectEnd!]: restore,
    [ops.beginAnnotation!]: ([, , outer, inner]) => {
      save()
      state.matrix = base
      transform(outer)
      transform(inner)
    },
    [ops.endAnnotation!]: restore,
    [ops.beginText!]: () => Object.assign(state, { text: IDENTITY, x: 0, y: 0, lineX: 0, lineY: 0 }),
    [ops.setTextMatrix!]: (args) => {
      // One array, or six numbers.
      const text = typeof args[0] === 'number' ? args : args[0]
      Object.assign(state, { text: [...text], x: 0, y: 0, lineX: 0, lineY: 0 })
    },
    [ops.moveText!]: ([x, y]) => move(x, y),
    [ops.setLeadingMoveText!]: ([x, y]) => {
      state.leading = -y
      move(x, y)
    },
    [ops.setLeading!]: ([leading]) => {
      state.leading = leading
    },
    [ops.nextLine!]: () => move(0, -state.leading),
    [ops.setCharSpacing!]: ([spacing]) => {
      state.charSpacing = spacing
    },
    [ops.setWordSpacing!]: ([spacing]) => {
      state.wordSpacing = spacing
    },
    [ops.setHScale!]: ([scale]) => {
      state.scale = scale / 100
    },
    [ops.setTextRise!]: ([rise]) => {
      state.rise = rise
    },
    [ops.setTextRenderingMode!]: ([mode]) => {
      state.mode = mode
    },
    [ops.setFont!]: ([name, size]) => setFont(name, size),
    [ops.setGState!]: ([pairs]) => {
      for (const [key, value] of pairs) if (key === 'Font') setFont(value[0], value[1])
    },
    [ops.showText!]: ([items], index) => show(items, index),
    [ops.beginMarkedContent!]: ([tag]) => openPart(tag),
    [ops.beginMarkedContentProps!]: ([tag, property]) => openPart(tag, property),
    [ops.endMarkedContent!]: () => parts.pop(),
  }
  for (const [index, operator] of list.fnArray.entries())
    actions[operator]?.(list.argsArray[index] ?? [], index)
  return toLayers(shown, [...uses.values(), trusted], page)
}

/** Leaves out what cannot be read, and puts the glyphs of one direction together, the most frequent direction first. */
function toLayers(
  shown: readonly { glyph: Glyph; use: FontUse; angle: number }[],
  uses: readonly FontUse[],
  page: DrawnPage,
): PageGlyphs {
  const layers = new Map<number, GlyphLayer>()
  const readableUses = new Set(uses.filter(isReadable))
  let unreadable = 0
  for (const use of uses) unreadable += readableUses.has(use) ? use.unreadable : use.glyphs
  for (const { glyph, use, angle } of shown) {
    if (!readableUses.has(use)) continue
    const layer = layers.get(angle) ?? { height: turnPage(page, angle).height, glyphs: [] }
    layers.set(angle, layer)
    layer.glyphs.push(glyph)
  }
  const sorted = [...layers.values()].sort((a, b) => b.glyphs.length - a.glyphs.length)
  return { layers: sorted, readable: sorted.reduce((sum, { glyphs }) => sum + glyphs.length, 0), unreadable }
}

/** Returns the text of a string of PDF; undefined if it is too long to replace what is drawn. */
function toSubstitute(string: string): Substitute | undefined {
  if (string.length > MAX_SUBSTITUTE) return undefined
  const bytes = Buffer.from(string, 'latin1')
  if (bytes[0] === 0xfe && bytes[1] === 0xff && bytes.length % 2 === 0)
    return { text: bytes.subarray(2).swap16().toString('utf16le').toWellFormed() }
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf)
    return { text: bytes.subarray(3).toString() }
  return { text: string }
}

/** Lets a glyph take the place of another one beside it too. */
function extend(glyph: Glyph, { x, y, width }: Glyph): void {
  if (Math.abs(y - glyph.y) > glyph.size) return
  const end = Math.max(glyph.x + glyph.width, x + width)
  glyph.x = Math.min(glyph.x, x)
  glyph.width = end - glyph.x
}

/** Returns the direction in whole degrees; right angles are exact. */
function toAngle(x: number, y: number): number {
  const degrees = Math.round((Math.atan2(y, x) * 180) / Math.PI)
  const right = Math.round(degrees / 90) * 90
  return (Math.abs(degrees - right) <= SAME_ANGLE ? right + 360 : degrees + 360) % 360
}

/** Creates a function that turns a place so that its direction of writing becomes the one of x. */
function createTurn(angle: number, lower: number) {
  const radians = (angle * Math.PI) / 180
  const [cosine, sine] = [Math.cos(radians), Math.sin(radians)]
  return (x: number, y: number) => ({ x: x * cosine + y * sine, y: y * cosine - x * sine + lower })
}

/** Returns the height of a page that is turned, and the distance to add to its places, which begin at its upper edge. */
function turnPage({ width, height }: DrawnPage, angle: number): { origin: number; height: number } {
  const radians = (angle * Math.PI) / 180
  const [across, down] = [-width * Math.sin(radians), height * Math.cos(radians)]
  return { origin: -Math.min(0, across) - Math.min(0, down), height: Math.abs(across) + Math.abs(down) }
}

/** Returns the height of type relative to its size, which is not 1 if the font draws its glyphs by itself. */
function heightOf({ isType3Font, fontMatrix, bbox }: PdfFont): number {
  if (!isType3Font || !fontMatrix) return 1
  const height = bbox ? Math.abs(bbox[3]! - bbox[1]!) : 0
  return Math.abs(fontMatrix[3]!) * (height || 1000)
}

function multiply(a: Matrix, b: Matrix): Matrix {
  return [
    a[0] * b[0] + a[2] * b[1],
    a[1] * b[0] + a[3] * b[1],
    a[0] * b[2] + a[2] * b[3],
    a[1] * b[2] + a[3] * b[3],
    a[0] * b[4] + a[2] * b[5] + a[4],
    a[1] * b[4] + a[3] * b[5] + a[5],
  ]
}
