import type { CollationOptions, Collection, Document, Filter } from 'mongodb'
import { AppError, type ChosenReply, reply } from '#kernel'

/** The most rows that one page of a list has. */
export const MAX_PAGE_ROWS = 200

/** The most bytes of rows of a page whose listing says how many each takes; a row that takes more is a page by itself. */
export const MAX_PAGE_BYTES = 512 * 1024

/** The number of rows that are read at a time if each may be long. */
const LONG_ROWS_AT_ONCE = 4

/** The query fields of every list that grows. */
export const pageQuery = {
  limit: {
    type: 'integer',
    minimum: 1,
    default: 50,
    description: `Rows of a page; more than ${MAX_PAGE_ROWS} is brought down to ${MAX_PAGE_ROWS}`,
  },
  cursor: {
    type: 'string',
    maxLength: 1024,
    description: 'The start of a page, from the header Link of the page before',
  },
} as const

/** The page of a list that is asked for; `offset` rows are skipped, in lists of one part. */
export interface PageRequest {
  limit: number
  cursor?: string
  offset?: number
}

/** One page; `next` is the cursor of the page behind it, null on the last one. */
export interface Page<Row> {
  rows: Row[]
  next: string | null
}

/** Answers with a page; the header Link names the next one. */
export const pageReply = <Row>(query: object, { rows, next }: Page<Row>): ChosenReply<200, Row[]> =>
  reply(200, rows, linkToNext(query, next))

/** The header Link to the page that begins at a cursor, relative to the address of the request; none for null. */
export function linkToNext(query: object, next: string | null): Record<string, string> {
  if (next === null) return {}
  const fields = Object.entries({ ...query, cursor: next })
    // The cursor is already past the rows that the offset skipped.
    .filter(([name]) => name !== 'offset')
    .map(([name, value]): [string, string] => [name, String(value)])
  return { Link: `<?${new URLSearchParams(fields)}>; rel="next"` }
}

/** A page of rows that are all at hand, in the order of their keys. Throws VALIDATION_FAILED for an unknown cursor. */
export function pageOf<Row>(
  rows: readonly Row[],
  keyOf: (row: Row) => string,
  { limit, cursor }: PageRequest,
): Page<Row> {
  const after = cursor === undefined ? undefined : (readCursor(cursor, isText)[0] as string)
  const open = rows
    .map((row) => ({ row, key: keyOf(row) }))
    .filter(({ key }) => after === undefined || key > after)
    .sort((a, b) => (a.key < b.key ? -1 : 1))
  const size = Math.min(limit, MAX_PAGE_ROWS)
  const page = open.slice(0, size)
  return {
    rows: page.map(({ row }) => row),
    next: open.length > size ? writeCursor([page.at(-1)!.key]) : null,
  }
}

/** The documents to list and their order; the fields of `sort` are never null, and the last one is unique. */
interface Listing<Row extends Document> {
  /** Documents that fit the first filter come before all that fit the second, and so on; none fits two of them. */
  parts: readonly Filter<Row>[]
  sort: Readonly<Record<string, 1 | -1>>
  projection?: Document
  /** The collation of the index that serves the list. */
  collation?: CollationOptions
  /** The index that serves the list, if the database may take another one. */
  hint?: Readonly<Record<string, 1 | -1>>
  /** Returns the bytes of a row in the answer; set for rows that may be long, so that a page ends at MAX_PAGE_BYTES. */
  bytesOf?: (row: Row) => number
}

/** Reads a page of documents, at a cost that does not depend on its position. Throws VALIDATION_FAILED for an unknown cursor. */
export async function findPage<Row extends Document>(
  collection: Collection<Row>,
  { parts, sort, projection, collation, hint, bytesOf }: Listing<Row>,
  { limit, cursor, offset = 0 }: PageRequest,
): Promise<Page<Row>> {
  const names = Object.keys(sort)
  const size = Math.min(limit, MAX_PAGE_ROWS)
  const [begun, ...keys] =
    cursor === undefined
      ? [0]
      : readCursor(
          cursor,
          (part) => Number.isInteger(part) && (part as number) in parts,
          ...names.map(() => isKey),
        )
  const options = {
    projection,
    collation,
    ...(hint && { hint }),
    ...(bytesOf && { batchSize: LONG_ROWS_AT_ONCE }),
  }
  const page: { row: Row; part: number }[] = []
  let bytes = 0
  let isFull = false
  for (let part = begun as number; part < parts.length && !isFull; part += 1) {
    const filters = part === begun && keys.length > 0 ? [parts[part], behind(sort, keys)] : [parts[part]]
    const rowsBehind = collection
      .find({ $and: filters } as Filter<Row>, options)
      .sort(sort)
      .skip(offset)
      .limit(size + 1 - page.length)
    for await (const row of rowsBehind) {
      bytes += bytesOf?.(row as Row) ?? 0
      isFull = page.length === size || (page.length > 0 && bytes > MAX_PAGE_BYTES)
      if (isFull) break
      page.push({ row: row as Row, part })
    }
  }
  const last = page.at(-1)
  return {
    rows: page.map(({ row }) => row),
    next: isFull ? writeCursor([last!.part, ...names.map((name) => last!.row[name])]) : null,
  }
}

/** Matches what comes behind a position: later in the first field, or equal in it and later in the second, and so on. */
function behind(sort: Listing<Document>['sort'], keys: readonly unknown[]): Document {
  const fields = Object.entries(sort)
  return {
    $or: fields.map(([name, direction], index) => ({
      ...Object.fromEntries(fields.slice(0, index).map(([earlierField], at) => [earlierField, keys[at]])),
      [name]: { [direction === 1 ? '$gt' : '$lt']: keys[index] },
    })),
  }
}

/** Makes a cursor from the keys at which the next page begins. */
export const writeCursor = (keys: readonly unknown[]): string =>
  Buffer.from(JSON.stringify(keys)).toString('base64url')

type Check = (key: unknown) => boolean

const isText: Check = (key) => typeof key === 'string'

/** Never an object, which a database could take for an operator. */
const isKey: Check = (key) => ['string', 'number', 'boolean'].includes(typeof key)

/** Reads a cursor with one key for each check; throws VALIDATION_FAILED for anything else. */
export function readCursor(cursor: string, ...checks: readonly Check[]): unknown[] {
  try {
    const keys: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString())
    if (Array.isArray(keys) && keys.length === checks.length && checks.every((fits, at) => fits(keys[at])))
      return keys
  } catch {
    // It is not JSON, which is answered below.
  }
  throw new AppError('VALIDATION_FAILED', {
    issues: [{ path: '/cursor', rule: 'cursor', message: 'is not a cursor of this list' }],
  })
}
