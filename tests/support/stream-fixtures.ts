import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parse } from 'yaml'
import { AppError, compileSchema, objectOf, type TypeOf } from '#kernel'

/** The folder of the fixtures: one folder per provider kind, one file per behaviour of an upstream. */
export const STREAMS = fileURLToPath(new URL('../../../tests/providers/streams/', import.meta.url))

/** The provider kinds that have a folder. */
export const STREAM_KINDS = [
  'anthropic',
  'azure-openai',
  'bedrock',
  'google',
  'ollama',
  'openai',
  'openai-compatible',
] as const

/** The rows of the table of fixtures, with what each is about. */
export const BEHAVIOURS = {
  usage: 'Usage that is missing, elsewhere, textual or absurd',
  thoughts: 'Thoughts and their signatures, shown and sent back',
  ends: 'Answers that are cut, filtered, empty or unfinished',
  'white-space': 'Texts of white space',
  'call-pieces': 'Tool calls in pieces',
  arguments: 'Arguments of tool calls',
  'call-ids': 'Ids of tool calls',
  'stream-errors': 'Errors within a stream, and cut streams',
  'think-tags': 'Thoughts in tags within the text',
  roles: 'Roles that must alternate',
  'loose-streams': 'Streams that break their form',
  window: 'Windows of contexts',
  pictures: 'Pictures sent to a model',
  schemas: 'Schemas and names of tools',
  'vendor-calls': 'Calls that the vendor runs itself',
  'unknown-events': 'Unknown events, blocks and missing fields',
  refusals: 'Refusals of a model, and their words',
  learned: 'Settings that a gateway refuses',
  'drawn-pictures': 'Pictures that a model draws',
  'long-context': 'Contexts that are too long',
} as const

const text = { type: 'string' } as const
const texts = { type: 'array', items: text } as const
const anyObject = { type: 'object' } as const
const count = { type: 'integer', minimum: 0 } as const

const answer = objectOf({
  status: { type: 'integer', minimum: 200, maximum: 599 },
  type: text,
  headers: { type: 'object', additionalProperties: text },
  body: text,
  events: {
    type: 'array',
    items: { type: 'array', items: {}, minItems: 2, maxItems: 2 },
  },
  cut: { type: 'boolean' },
  piece_bytes: { type: 'integer', minimum: 1 },
  gzip: { type: 'boolean' },
})

const expectation = objectOf({
  requests: count,
  reply: text,
  thoughts: text,
  stop_reason: text,
  error: text,
  detail: text,
  calls: { type: 'array', items: objectOf({ name: text, input: {} }) },
  results: { type: 'array', items: objectOf({ is_error: { type: 'boolean' }, output: text }) },
  usage: anyObject,
  notices: texts,
  files: texts,
  sent: { type: 'array', items: anyObject },
})

const fixtureSchema = objectOf(
  {
    shows: { type: 'string', minLength: 1, maxLength: 160 },
    behaviour: { enum: Object.keys(BEHAVIOURS) as (keyof typeof BEHAVIOURS)[] },
    model: text,
    options: anyObject,
    listed: anyObject,
    config: anyObject,
    tools: texts,
    input_schema: anyObject,
    picture: { type: 'boolean' },
    lookups: { type: 'object', additionalProperties: anyObject },
    turns: {
      type: 'array',
      minItems: 1,
      items: objectOf(
        {
          says: text,
          kind: { enum: STREAM_KINDS },
          model: text,
          answers: { type: 'array', items: answer },
          expect: expectation,
        },
        ['answers'],
      ),
    },
    next: { oneOf: [{ const: false }, objectOf({ sent: anyObject })] },
  },
  ['shows', 'behaviour', 'turns'],
)

/** The answer of an upstream to one request; the text or the events of the file are sent as they are. */
export type FixtureAnswer = TypeOf<typeof answer>
/** The frames, messages and requests that a turn must produce; a file may leave some out. */
export type Expectation = TypeOf<typeof expectation>

/** A fixture, as its file describes it. */
export interface StreamFixture extends Omit<TypeOf<typeof fixtureSchema>, 'next'> {
  /** The provider kind, the name of the file's folder. */
  kind: (typeof STREAM_KINDS)[number]
  /** `<kind>/<file name without ending>`. */
  name: string
  next?: false | { sent?: object }
}

const check = compileSchema(fixtureSchema, 'json')

/** Parses the text of one file; throws an error that names the file for each unknown or wrong field. */
export function parseFixture(name: string, source: string): StreamFixture {
  const kind = STREAM_KINDS.find((kind) => name.startsWith(`${kind}/`))
  if (!kind) throw new Error(`${name}.yaml is not in a folder of a provider kind`)
  try {
    return { ...(check(parse(source)) as StreamFixture), kind, name }
  } catch (error) {
    const reason = error instanceof AppError ? JSON.stringify(error.details) : (error as Error).message
    throw new Error(`${name}.yaml: ${reason}`, { cause: error })
  }
}

let fixtures: StreamFixture[] | undefined

/** Reads all fixtures, sorted by name. */
export function readFixtures(): readonly StreamFixture[] {
  fixtures ??= readdirSync(STREAMS, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.yaml'))
    .sort()
    .map((file) => parseFixture(file.replace(/\.yaml$/, ''), readFileSync(join(STREAMS, file), 'utf8')))
  return fixtures
}

/** Returns the fixtures that `npm test` plays: the first ones of each kind and behaviour. */
export function chooseFixtures(fixtures: readonly StreamFixture[], perCell: number): StreamFixture[] {
  const counts = new Map<string, number>()
  return fixtures.filter(({ kind, behaviour }) => {
    const cell = `${kind} ${behaviour}`
    const count = (counts.get(cell) ?? 0) + 1
    counts.set(cell, count)
    return count <= perCell
  })
}
