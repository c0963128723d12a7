/** The attributes of an element. */
export type Attributes = Readonly<Record<string, string>>

/** The most styles that a style is based on, one upon the other. */
const MAX_PARENTS = 20
/** The levels that a list can have. */
const MAX_LEVELS = 10
/** The weight from which on type is bold. */
const BOLD = 600
/** The name of the list style of headings. */
export const OUTLINE = ''

/** The numbers of a level of lists; a level without a format has bullets. */
export interface ListLevel {
  format?: string
  prefix: string
  suffix: string
  start: number
  /** The number of levels whose numbers are shown. */
  shown: number
}

interface Style {
  parent?: string | undefined
  list?: string | undefined
  isHidden?: boolean
  isBold?: boolean
}

/** A style with what it has from the styles that it is based on; `names` are the names of all of them. */
export interface ResolvedStyle extends Style {
  names: readonly string[]
}

const NO_STYLE: ResolvedStyle = { names: [] }

type Family = 'paragraph' | 'text' | 'table' | 'table-cell' | 'drawing-page'

/** The styles of an OpenDocument file that matter for its text. */
export type Styles = ReturnType<typeof createStyles>

/** Creates a collection of styles, which is filled while the XML of a document is read. */
export function createStyles() {
  const styles = new Map<string, Style>()
  const resolvedStyles = new Map<string, ResolvedStyle>()
  const lists = new Map<string, ListLevel[]>()
  let style: Style | undefined
  let levels: ListLevel[] = []

  const toKey = (family: string | undefined, name: string | undefined) => `${family} ${name}`
  const resolve = (family: Family, name: string): ResolvedStyle => {
    const resolved: Style = {}
    const names: string[] = []
    let current: string | undefined = name
    for (let depth = 0; current !== undefined && depth < MAX_PARENTS; depth += 1) {
      const base: Style = styles.get(toKey(family, current)) ?? {}
      names.push(current)
      resolved.list ??= base.list
      resolved.isHidden ??= base.isHidden
      resolved.isBold ??= base.isBold
      current = base.parent
    }
    return { ...resolved, names }
  }
  const addLevel = (attributes: Attributes, format?: string) => {
    const level = Number(attributes['text:level'])
    if (!(level >= 1 && level <= MAX_LEVELS)) return
    levels[level - 1] = {
      ...(format !== undefined && { format }),
      prefix: attributes['style:num-prefix'] ?? '',
      suffix: attributes['style:num-suffix'] ?? '',
      start: Number(attributes['text:start-value'] ?? 1) || 0,
      shown: Math.min(MAX_LEVELS, Number(attributes['text:display-levels'] ?? 1) || 1),
    }
  }

  return {
    /** Takes the beginning of an element; an element that is no part of a style is ignored. */
    open(tag: string, attributes: Attributes): void {
      const name = attributes['style:name']
      if (tag === 'style') {
        style = {
          parent: attributes['style:parent-style-name'],
          list: attributes['style:list-style-name'],
        }
        styles.set(toKey(attributes['style:family'], name), style)
        resolvedStyles.clear()
      } else if (tag === 'text-properties' && style) {
        const { 'text:display': display, 'fo:font-weight': weight } = attributes
        if (display) style.isHidden = display === 'none'
        if (weight) style.isBold = weight === 'bold' || Number(weight) >= BOLD
      } else if (tag === 'table-properties' && style) {
        if (attributes['table:display'] === 'false') style.isHidden = true
      } else if (tag === 'drawing-page-properties' && style) {
        if (attributes['presentation:visibility'] === 'hidden') style.isHidden = true
      } else if (tag === 'list-style' || tag === 'outline-style') {
        levels = []
        lists.set(tag === 'outline-style' ? OUTLINE : (name ?? OUTLINE), levels)
      } else if (tag === 'list-level-style-number' || tag === 'outline-level-style')
        addLevel(attributes, attributes['style:num-format'] ?? '')
      else if (tag === 'list-level-style-bullet' || tag === 'list-level-style-image') addLevel(attributes)
    },

    /** Takes the end of an element. */
    close(tag: string): void {
      if (tag === 'style') style = undefined
    },

    /** Returns a style. */
    find(family: Family, name: string | undefined): ResolvedStyle {
      if (name === undefined) return NO_STYLE
      const key = toKey(family, name)
      const style = resolvedStyles.get(key) ?? resolve(family, name)
      resolvedStyles.set(key, style)
      return style
    },
    levelsOf: (list: string | undefined): readonly (ListLevel | undefined)[] =>
      lists.get(list ?? OUTLINE) ?? [],
  }
}
