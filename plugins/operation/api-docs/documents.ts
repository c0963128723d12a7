import {
  type Blueprint,
  type Command,
  type Conditional,
  defineRoute,
  JSON_OPTION,
  listsTag,
  makeTag,
  printJson,
  reply,
} from '#plugin-api'

type Json = Record<string, unknown>

/** The documents of a server, each described once. Nothing of them is loaded at the start. */
export type Documents = ReturnType<typeof createDocuments>

/** Creates the documents of a server from the declarations of the plugins that run. */
export function createDocuments({ blueprint }: { blueprint(): Blueprint }) {
  let openapi: Promise<Json> | undefined
  let asyncapi: Promise<Json> | undefined
  const describeRoutes = async () => (await import('./documents/openapi.ts')).describeApi(blueprint())
  const describeSockets = async () => (await import('./documents/asyncapi.ts')).describeAsyncApi(blueprint())
  return {
    openapi() {
      openapi ??= describeRoutes()
      return openapi
    },
    asyncapi() {
      asyncapi ??= describeSockets()
      return asyncapi
    },
  }
}

const tags = new WeakMap<Json, string>()

/** Replies with a document and its entity tag, or with 304 if the client has this document: one takes milliseconds. */
function showDocument({ headers: sent }: Conditional, document: Json) {
  const tag = tags.get(document) ?? makeTag({ document }, ['document'])
  tags.set(document, tag)
  const headers = { ETag: `"${tag}"`, 'Cache-Control': 'no-cache' }
  return listsTag(sent['if-none-match']?.toString() ?? '', tag, { weak: true })
    ? reply(304, undefined, headers)
    : reply(200, document, headers)
}

/** The beginning of both documents. */
const EXAMPLE = { info: { title: 'Agent Platform Service', version: '1.0.0' } }

const getOpenApi = defineRoute({
  method: 'GET',
  path: '/openapi.json',
  operation_id: 'getOpenApiDocument',
  summary: 'Get this API as OpenAPI 3.1',
  description:
    'Describes the routes of the plugins that run on this server, those from outside included. It is the document that `svc openapi` prints, and clients can be generated from it. It supports `If-None-Match` with an earlier `ETag`.',
  guard: 'public',
  response: { 200: { type: 'object', examples: [{ openapi: '3.1.0', ...EXAMPLE, paths: {} }] }, 304: null },
}).handle(async (request, { documents }: { documents: Documents }) =>
  showDocument(request, await documents.openapi()),
)

const getAsyncApi = defineRoute({
  method: 'GET',
  path: '/asyncapi.json',
  operation_id: 'getAsyncApiDocument',
  summary: 'Get the sockets and event streams of this API as AsyncAPI 3.0',
  description:
    'Describes the frames of both directions, their order, and the codes with which sockets are closed. It is the document that `svc asyncapi` prints. It supports `If-None-Match` with an earlier `ETag`.',
  guard: 'public',
  response: {
    200: { type: 'object', examples: [{ asyncapi: '3.0.0', ...EXAMPLE, channels: {} }] },
    304: null,
  },
}).handle(async (request, { documents }: { documents: Documents }) =>
  showDocument(request, await documents.asyncapi()),
)

/** The routes of the documents. */
export const documentRoutes = [getOpenApi, getAsyncApi]

/** Creates a command that prints a document of a server with this configuration, without starting one. */
const createCommand = (name: keyof Documents, summary: string): Command<{ documents: Documents }> => ({
  name,
  summary,
  options: [JSON_OPTION],
  database: false,
  async run({ stdout }, { documents }) {
    printJson(stdout, await documents[name]())
    return 0
  },
})

/** `svc openapi` and `svc asyncapi`. */
export const documentCommands = [
  createCommand('openapi', 'Print the OpenAPI 3.1 document'),
  createCommand('asyncapi', 'Print the AsyncAPI 3.0 document'),
]
