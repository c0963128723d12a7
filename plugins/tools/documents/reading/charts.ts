import type { Archive } from './archive.ts'
import type { Block } from './blocks.ts'
import { createFormatter } from './number-format.ts'
import { toCells, toRows } from './tables.ts'
import { readXml } from './xml.ts'

/** The points of one dimension of a series, by their numbers. */
type Points = Map<number, string>

interface Series {
  name: string
  /** Names of the points, the outermost level first; the horizontal values of a scatter chart. */
  categories: Points[]
  values: Points
  sizes: Points
}

/** The elements that contain the points of a series. */
const DIMENSIONS: Readonly<Record<string, 'categories' | 'values' | 'sizes'>> = {
  cat: 'categories',
  xVal: 'categories',
  strDim: 'categories',
  val: 'values',
  yVal: 'values',
  numDim: 'values',
  bubbleSize: 'sizes',
}
/** The elements that have a title. */
const TITLED = new Set(['chart', 'catAx', 'dateAx', 'serAx', 'valAx', 'axis'])

/**
 * Returns the title and the data of a chart as it was last shown: a row for each category, with the value of each
 * series. Charts of newer kinds (`cx`) have the same elements, but keep their data apart from the series.
 */
export function readChart(archive: Archive, name: string, page?: number): Block[] {
  const titles = new Map<string, string>()
  const all: Series[] = []
  /** Data of newer charts, which series name by its key. */
  const data = new Map<string, Series>()
  const owners: string[] = []
  let series: Series | undefined
  let dimension: (typeof DIMENSIONS)[string] | undefined
  let points: Points = new Map()
  let index = 0
  let format = createFormatter('General')
  let value: string | undefined
  let isTitle = false
  let isName = false
  let isLabel = false
  let title = ''
  /** The text of a title as a cell of the workbook had it. */
  let cachedTitle = ''

  const startSeries = () => {
    series = { name: '', categories: [], values: new Map(), sizes: new Map() }
    return series
  }
  const startPoints = () => {
    if (!series || !dimension) return
    points = new Map()
    if (dimension === 'categories') series.categories.unshift(points)
    else series[dimension] = points
  }
  readXml(archive, name, {
    open(tag, attributes) {
      if (TITLED.has(tag)) owners.push(tag)
      if (tag === 'ser') all.push(startSeries())
      else if (tag === 'data') data.set(attributes.id ?? '', startSeries())
      else if (tag === 'series') all.push(startSeries())
      else if (tag === 'dataId' && series)
        Object.assign(series, { ...data.get(attributes.val ?? ''), name: series.name })
      else if (tag === 'title') {
        isTitle = true
        title = ''
        cachedTitle = ''
      } else if (tag === 'dLbls') isLabel = true
      else if (tag === 'tx' && series && !isTitle && !isLabel) isName = true
      else if (tag in DIMENSIONS) {
        dimension = DIMENSIONS[tag]
        format = createFormatter('General')
        startPoints()
      } else if (tag === 'lvl' && dimension) {
        format = createFormatter(attributes.formatCode ?? 'General')
        // The first level has the place that was made for it.
        if (points.size > 0) startPoints()
      } else if (tag === 'pt') {
        index = Number(attributes.idx)
        if (attributes.formatCode !== undefined) format = createFormatter(attributes.formatCode)
        value = ''
      } else if (tag === 'v' || tag === 't' || tag === 'formatCode') value = ''
    },
    text(text) {
      if (value !== undefined) value += text
    },
    close(tag) {
      if (tag === 'formatCode') format = createFormatter(value || 'General')
      else if (tag === 't' && isTitle) title += value
      else if (tag === 'v' && isTitle) cachedTitle += value
      else if ((tag === 'v' || tag === 't') && isName && series) series.name += value
      else if (dimension && (tag === 'v' || tag === 'pt') && value !== undefined && value.trim() !== '')
        points.set(index, format(toValue(value)))
      if (tag === 'v' || tag === 't' || tag === 'pt' || tag === 'formatCode') value = undefined
      if (tag === 'p' && isTitle) title += ' '
      if (tag === 'title') {
        isTitle = false
        const owner = owners.at(-1) ?? 'chart'
        titles.set(owner, `${titles.get(owner) ?? ''} ${cachedTitle || title}`.trim())
      } else if (tag === 'tx') isName = false
      else if (tag === 'dLbls') isLabel = false
      else if (tag in DIMENSIONS) dimension = undefined
      else if (tag === 'ser' || tag === 'series' || tag === 'data') series = undefined
      if (tag === owners.at(-1)) owners.pop()
    },
  })

  const heading = titles.get('chart')
  const axes = {
    name: titles.get('catAx') ?? titles.get('dateAx') ?? '',
    value: titles.get('valAx') ?? titles.get('axis') ?? '',
  }
  return [
    ...(heading ? [{ kind: 'text' as const, text: heading, page }] : []),
    ...(axes.value ? [{ kind: 'text' as const, text: axes.value, page }] : []),
    ...groupSeries(all).flatMap((group) => [
      ...toRows(toCells(toTable(group, axes.name)), { page, heads: 1 }),
    ]),
  ]
}

const toValue = (value: string) =>
  /^\s*[-+]?[\d.]/.test(value) && !Number.isNaN(Number(value)) ? Number(value) : value

/** Returns series with the same categories together: they are one table. */
function groupSeries(all: readonly Series[]): Series[][] {
  const groups = new Map<string, Series[]>()
  let key = ''
  for (const series of all) {
    if (series.values.size === 0) continue
    const { categories } = series
    // A series without categories has the same ones as the series before it.
    if (categories.some(({ size }) => size > 0)) key = JSON.stringify(categories.map((points) => [...points]))
    groups.set(key, [...(groups.get(key) ?? []), series])
  }
  return [...groups.values()]
}

function toTable(group: readonly Series[], name: string): string[][] {
  const categories = group.find(({ categories }) => categories.length > 0)?.categories ?? []
  const columns = group.flatMap(({ name, values, sizes }) => [
    { name, points: values },
    ...(sizes.size > 0 ? [{ name: `${name} (size)`, points: sizes }] : []),
  ])
  const indexes = new Set([
    ...(categories.at(-1)?.keys() ?? []),
    ...columns.flatMap(({ points }) => [...points.keys()]),
  ])
  const outer: string[] = []
  const rows = [...indexes]
    .sort((one, other) => one - other)
    .map((index) => {
      const labels = categories.map((points, level) => {
        const isInnermost = level === categories.length - 1
        outer[level] = points.get(index) ?? (isInnermost ? '' : (outer[level] ?? ''))
        return outer[level]
      })
      return [labels.filter(Boolean).join(' › '), ...columns.map(({ points }) => points.get(index) ?? '')]
    })
  return [[name, ...columns.map((column) => column.name)], ...rows]
}
