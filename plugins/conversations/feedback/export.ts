import { CSV_START, toCsvLine } from '#plugin-api'
import type { VoteFilter, Votes } from './votes.ts'

const ROWS_AT_ONCE = 100
const COLUMNS = [
  'id',
  'time',
  'username',
  'agent_id',
  'agent_name',
  'model',
  'value',
  'reasons',
  'comment',
  'question',
  'answer',
] as const

/** A vote as administrators see it. */
export const toVoteRow = ({
  _id: id,
  username,
  agent_id,
  agent_name,
  model,
  value,
  reasons,
  comment,
  question,
  answer,
  created_at,
  updated_at,
}: Awaited<ReturnType<Votes['list']>>['rows'][number]) => ({
  ...{ id, username, agent_id, agent_name, model, value, reasons, comment, question, answer },
  ...{ created_at, updated_at },
})

type VoteRow = ReturnType<typeof toVoteRow>

/** Yields votes in the order of the list; the next page is read only when the reader has taken the last one. */
async function* readVotes(votes: Pick<Votes, 'list'>, filter: VoteFilter): AsyncGenerator<VoteRow> {
  let cursor: string | null = null
  do {
    const page: Awaited<ReturnType<Votes['list']>> = await votes.list(filter, {
      limit: ROWS_AT_ONCE,
      ...(cursor !== null && { cursor }),
    })
    yield* page.rows.map(toVoteRow)
    cursor = page.next
  } while (cursor !== null)
}

/** Yields lines of JSON in UTF-8, one for each vote. */
async function* toJsonLines(rows: AsyncIterable<VoteRow>): AsyncGenerator<string> {
  for await (const row of rows) yield `${JSON.stringify(row)}\n`
}

/** Yields lines of CSV for spreadsheets, the names of the columns first. */
async function* toCsv(rows: AsyncIterable<VoteRow>): AsyncGenerator<string> {
  yield CSV_START + toCsvLine(COLUMNS)
  for await (const row of rows) {
    const cells = {
      ...row,
      time: new Date(row.created_at * 1000).toISOString(),
      reasons: row.reasons.join(' '),
    }
    yield toCsvLine(COLUMNS.map((column) => cells[column]))
  }
}

const FORMATS = {
  csv: { media_type: 'text/csv; charset=utf-8', toLines: toCsv },
  jsonl: { media_type: 'application/x-ndjson', toLines: toJsonLines },
}

/** Creates the download of votes, which is read from the database while it is sent. */
export function createVoteDownload(
  votes: Pick<Votes, 'list'>,
  filter: VoteFilter,
  format: keyof typeof FORMATS,
): Response {
  const { media_type, toLines } = FORMATS[format]
  return new Response(ReadableStream.from(toBytes(toLines(readVotes(votes, filter)))), {
    headers: {
      'Content-Type': media_type,
      'Content-Disposition': `attachment; filename="feedback.${format}"`,
      'Content-Security-Policy': 'sandbox',
    },
  })
}

async function* toBytes(lines: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder()
  for await (const line of lines) yield encoder.encode(line)
}
