import { objectOf, pageQuery, pageReply, type Route, rowOf } from '#plugin-api'
import { MAX_FILE_CHARS } from './managed-objects.ts'
import { type Cradle, route } from './manifest.ts'

/** The most objects that one request compares. */
const MAX_COMPARED = 1000
const MAX_FILES = 10_000

const text = { type: 'string' } as const
const ID = '01KDVMF00000000000000000AG'
const kind = {
  title: 'ManagedKind',
  enum: ['agent', 'channel', 'connector', 'expert', 'group', 'prompt', 'provider', 'schedule'],
  description: 'The kind of the object',
  examples: ['agent'],
} as const
const id = {
  ...text,
  maxLength: 64,
  description: 'The id of an object of this kind',
  examples: [ID],
} as const
const file = {
  ...text,
  minLength: 1,
  maxLength: MAX_FILE_CHARS,
  description: 'The file that declares it, as a path in the folder of `svc apply`',
  examples: ['agents/ada/helper.yaml'],
} as const
const files = {
  type: 'array',
  items: { ...text, maxLength: 4096 },
  maxItems: MAX_FILES,
  description: 'The files of an agent’s workspace that were applied',
  examples: [['AGENTS.md']],
} as const
const digest = {
  ...text,
  pattern: '^[0-9a-f]{64}$',
  description: 'The SHA-256 of the content, in hexadecimal; stored encrypted',
  examples: ['9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'],
  writeOnly: true,
} as const
const holder = {
  ...text,
  pattern: '^[A-Za-z0-9_-]{8,64}$',
  description: 'A name that the run of `svc apply` has chosen',
  examples: ['mO2l0dF3kq7hTzXo'],
} as const

/** The routes that `svc apply` uses. */
export const managedRoutes: Route<Cradle>[] = [
  route({
    method: 'GET',
    path: '/managed',
    operation_id: 'listManagedObjects',
    summary: 'List the managed objects of a kind',
    description: 'Lists the objects that `svc apply` keeps, with the files that declare them, by id.',
    guard: 'admin',
    query: objectOf({ kind, ...pageQuery }, ['kind']),
    response: {
      200: {
        type: 'array',
        items: { title: 'ManagedObject', ...rowOf({ id: { ...text, examples: [ID] }, file }) },
      },
    },
    errors: ['NOT_FOUND'],
  }).handle(async ({ query }, { managedObjects }) =>
    pageReply(query, await managedObjects.list(query.kind, query)),
  ),

  route({
    method: 'POST',
    path: '/managed',
    operation_id: 'completeManagedObject',
    summary: 'Note that an object was applied',
    description:
      'Marks the object as managed and notes the hash of its content, once all of it has been applied. The changes themselves carry the header `X-Svc-Apply` with the path of the file, percent-encoded.',
    guard: 'admin',
    body: rowOf({ kind, id, file, digest, files }),
    response: { 204: null },
    errors: ['NOT_FOUND'],
    audit: { action: 'managed.complete', target: 'id' },
  }).handle(async ({ body }, { managedObjects }) => {
    await managedObjects.complete(body.kind, body.id, body)
  }),

  route({
    method: 'POST',
    path: '/managed/compare',
    operation_id: 'compareManagedObjects',
    summary: 'Find the managed objects that are up to date',
    description:
      'Returns the ids of those objects whose content was applied completely and had this hash; nothing else has changed them since. Of the others, it returns the files that were applied.',
    guard: 'admin',
    body: rowOf({
      kind,
      digests: {
        type: 'object',
        maxProperties: MAX_COMPARED,
        additionalProperties: digest,
        description: 'Hashes by the ids of objects',
        examples: [{ [ID]: digest.examples[0] }],
      },
    }),
    response: {
      200: rowOf({
        unchanged: { type: 'array', items: text, examples: [[ID]] },
        files: {
          type: 'object',
          additionalProperties: files,
          description: 'The files that were applied to the others, by id',
          examples: [{}],
        },
      }),
    },
    audit: { none: 'It compares and stores nothing.' },
  }).handle(({ body }, { managedObjects }) =>
    managedObjects.compare(body.kind, body.digests as Record<string, string>),
  ),

  route({
    method: 'POST',
    path: '/managed/release',
    operation_id: 'releaseManagedObject',
    summary: 'Release a managed object',
    description:
      'Lets people change the object again. The next `svc apply` that declares it takes it over and says so.',
    guard: 'admin',
    body: rowOf({ kind, id }),
    response: { 204: null },
    errors: ['NOT_FOUND'],
    audit: { action: 'managed.release', target: 'id' },
  }).handle(async ({ body }, { managedObjects }) => {
    await managedObjects.release(body.kind, body.id)
  }),

  route({
    method: 'POST',
    path: '/managed/begin',
    operation_id: 'beginApply',
    summary: 'Begin or continue an apply',
    description: 'Keeps other runs of `svc apply` from beginning for 30 seconds; repeat it to continue.',
    guard: 'admin',
    body: rowOf({ holder }),
    response: { 204: null },
    errors: ['APPLY_RUNNING'],
    audit: { none: 'It is repeated all the time; the changes themselves leave rows.' },
  }).handle(async ({ body }, { managedObjects }) => {
    await managedObjects.acquire(body.holder)
  }),

  route({
    method: 'POST',
    path: '/managed/end',
    operation_id: 'endApply',
    summary: 'End an apply',
    description: 'Lets another run of `svc apply` begin; a run that has ended already changes nothing.',
    guard: 'admin',
    body: rowOf({ holder }),
    response: { 204: null },
    audit: { none: 'It ends a lease; the changes themselves leave rows.' },
  }).handle(async ({ body }, { managedObjects }) => {
    await managedObjects.yield(body.holder)
  }),
]
