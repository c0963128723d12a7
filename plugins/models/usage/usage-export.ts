import { CSV_START, toCsvLine } from '#plugin-api'
import type { Cradle } from './manifest.ts'
import type { ExportRow } from './schemas.ts'
import { readFilter, type StoredSums, sumsIn, toCost, type UsageFilter } from './usage-sums.ts'

/** The most rows of an export. */
const MAX_ROWS = 100_000
/** The number of rows whose names are read together. */
const ROWS_AT_ONCE = 500

const KEYS = {
  user: '$user_id',
  group: '$user_id',
  agent: '$agent_id',
  model: '$model',
  day: '$day',
} as const

const COLUMNS = [
  'key',
  'name',
  'calls',
  'input_tokens',
  'cached_input_tokens',
  'output_tokens',
  'reasoning_tokens',
  'total_tokens',
  'cost',
  'currency',
  'unpriced_calls',
] as const

const MEDIA_TYPES = { csv: 'text/csv; charset=utf-8', json: 'application/json' } as const

interface ExportQuestion extends UsageFilter {
  by: keyof typeof KEYS
}

type KeyedSums = StoredSums & { _id: string }

/** The exports of usage. */
export type UsageExports = ReturnType<typeof createUsageExports>

/** Creates the exports, which are read from the database while they are sent. */
export function createUsageExports({
  collections: { usage },
  users,
  agents,
  extensions,
  clock,
  config: { currency },
}: Pick<Cradle, 'collections' | 'users' | 'agents' | 'extensions' | 'clock' | 'config'>) {
  async function* readSums({ by, ...filter }: ExportQuestion): AsyncGenerator<KeyedSums[]> {
    const cursor = usage.aggregate<KeyedSums>(
      [
        { $match: readFilter(filter, clock.seconds()) },
        { $group: { _id: KEYS[by], ...sumsIn(currency) } },
        { $sort: { _id: 1 } },
        { $limit: MAX_ROWS },
      ],
      { batchSize: ROWS_AT_ONCE },
    )
    let rows: KeyedSums[] = []
    for await (const row of cursor) {
      rows.push(row)
      if (rows.length < ROWS_AT_ONCE) continue
      yield rows
      rows = []
    }
    yield rows
  }

  const toRow = (
    key: string,
    name: string | null,
    { model_calls: calls, cost_billionths, unpriced_calls, ...sums }: StoredSums,
  ): ExportRow => ({
    key,
    name,
    calls,
    input_tokens: sums.input_tokens,
    cached_input_tokens: sums.cached_input_tokens,
    output_tokens: sums.output_tokens,
    reasoning_tokens: sums.reasoning_tokens,
    total_tokens: sums.total_tokens,
    cost: toCost({ ...sums, model_calls: calls, unpriced_calls, cost_billionths }, currency)?.amount ?? null,
    currency,
    unpriced_calls,
  })

  const listNames = async (
    by: ExportQuestion['by'],
    keys: string[],
  ): Promise<ReadonlyMap<string, string>> => {
    if (by === 'agent') return agents.listNames(keys)
    if (by !== 'user') return new Map()
    const accounts = await users.listByIds(keys)
    return new Map(accounts.map(({ _id, username }) => [_id, username]))
  }

  /** Adds up accounts by their groups: a member of two counts in both, and one of none under an empty key. */
  async function* readGroups(question: ExportQuestion): AsyncGenerator<ExportRow> {
    const byGroup = new Map<string, StoredSums>()
    for await (const rows of readSums(question)) {
      const accounts = await users.listByIds(rows.map(({ _id }) => _id))
      const groupsOf = new Map(accounts.map(({ _id, group_ids }) => [_id, group_ids]))
      for (const { _id, ...sums } of rows) {
        const group_ids = groupsOf.get(_id) ?? []
        for (const group_id of group_ids.length > 0 ? group_ids : [''])
          byGroup.set(group_id, addSums(byGroup.get(group_id), sums))
      }
    }
    const answers = await extensions['users.groups'].ask({ ids: [...byGroup.keys()].filter(Boolean) })
    const names = new Map(answers.flatMap((groups) => [...groups].map(([id, { name }]) => [id, name])))
    for (const [key, sums] of byGroup) yield toRow(key, names.get(key) ?? null, sums)
  }

  async function* readRows(question: ExportQuestion): AsyncGenerator<ExportRow> {
    if (question.by === 'group') return yield* readGroups(question)
    for await (const rows of readSums(question)) {
      const names = await listNames(
        question.by,
        rows.map(({ _id }) => _id),
      )
      yield* rows.map(({ _id, ...sums }) => toRow(_id, names.get(_id) ?? null, sums))
    }
  }

  return {
    /** Creates the download of sums. */
    create(question: ExportQuestion, format: keyof typeof MEDIA_TYPES): Response {
      const rows = readRows(question)
      const lines = format === 'csv' ? toCsv(rows) : toJson(rows)
      return new Response(ReadableStream.from(toBytes(lines)), {
        headers: {
          'Content-Type': MEDIA_TYPES[format],
          'Content-Disposition': `attachment; filename="usage-by-${question.by}.${format}"`,
          'Content-Security-Policy': 'sandbox',
        },
      })
    },
  }
}

const addSums = (one: StoredSums | undefined, other: StoredSums): StoredSums =>
  one
    ? (Object.fromEntries(
        Object.entries(other).map(([name, sum]) => [name, sum + one[name as keyof StoredSums]!]),
      ) as unknown as StoredSums)
    : other

async function* toCsv(rows: AsyncIterable<ExportRow>): AsyncGenerator<string> {
  yield CSV_START + toCsvLine(COLUMNS)
  for await (const row of rows) yield toCsvLine(COLUMNS.map((column) => row[column]))
}

async function* toJson(rows: AsyncIterable<ExportRow>): AsyncGenerator<string> {
  let separator = '['
  for await (const row of rows) {
    yield `${separator}${JSON.stringify(row)}`
    separator = ',\n'
  }
  yield separator === '[' ? '[]' : ']'
}

async function* toBytes(lines: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder()
  for await (const line of lines) yield encoder.encode(line)
}
