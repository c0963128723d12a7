import { extensionsOf, readBlueprint } from '../../kernel/loading/blueprint.ts'
import { assertSettings } from '../../kernel/plugin/plugin.ts'
import { compileSchema, type JSONSchema, rowOf } from '../../kernel/schema.ts'
import t, { type Test } from '../run/file-test.ts'
import { createHome, pluginSource, routeSource, runCommand, startKernel } from '../support/kernel.ts'
import { startServer } from '../support/server.ts'

// biome-ignore lint/suspicious/noExplicitAny: the test asserts the content of the document
type Json = any

const VERBS = ['get', 'post', 'put', 'patch', 'delete']
const toTemplate = (path: string) => path.replace(/:(\w+)/g, '{$1}')

const listOperations = (document: Json): { path: string; verb: string; operation: Json }[] =>
  Object.entries<Json>(document.paths).flatMap(([path, verbs]) =>
    Object.entries(verbs).map(([verb, operation]) => ({ path, verb, operation })),
  )

/** Lists every `$ref` in a document. */
function listRefs(part: Json): string[] {
  if (typeof part !== 'object' || part === null) return []
  return Object.entries(part).flatMap(([key, child]) =>
    key === '$ref' && typeof child === 'string' ? [child] : listRefs(child),
  )
}

/** Returns the document of a server with one plugin. */
async function describe(t: Test, setup: string, manifest = ''): Promise<Json> {
  const server = await startKernel(t, { plugins: { weather: pluginSource('weather', setup, manifest) } })
  const { status, body } = await server.request('GET', '/openapi.json', { token: null })
  t.equal(status, 200)
  await server.stop()
  return body
}

/** True if the schema accepts this value as a body. */
function accepts(schema: JSONSchema, value: unknown): boolean {
  try {
    compileSchema(schema, 'json')(value)
    return true
  } catch {
    return false
  }
}

t.test('the document describes the whole server', async (t) => {
  const server = await startServer(t)
  const { status, body: document, headers } = await server.request('GET', '/openapi.json', { token: null })
  t.equal(status, 200)
  t.match(headers.get('content-type'), /^application\/json/)
  const { plugins, version } = await readBlueprint({ home: createHome(t), env: {} })

  await t.test('it contains the version, and every plugin as a tag', async (t) => {
    t.match(document, { openapi: '3.1.0', info: { version }, servers: [{ url: '/api' }] })
    t.strictSame(
      document.tags,
      plugins.map(({ plugin: { name, summary } }) => ({ name, description: summary })),
    )
  })

  await t.test('it lists each route and each socket with the tag of its plugin', async (t) => {
    let described = 0
    for (const { plugin, declarations } of plugins) {
      for (const { method, path, summary, body, upload, response } of declarations.routes) {
        const operation = document.paths[toTemplate(path)][method.toLowerCase()]
        t.match(operation, { summary, tags: [plugin.name] }, `${method} ${path}`)
        if (body && !upload)
          t.equal(operation.requestBody.required, !accepts(body, {}), `${path}, required body`)
        for (const [status, schema] of Object.entries(response))
          t.equal(operation.responses[status].content !== undefined, schema !== null, `${path} ${status}`)
        described += 1
      }
      for (const { path, summary, receive, send } of declarations.sockets) {
        const operation = document.paths[toTemplate(path)].get
        t.match(operation, { summary, tags: [plugin.name], responses: { 101: {} } })
        t.strictSame(Object.keys(operation['x-websocket'].receive), Object.keys(receive))
        t.strictSame(Object.keys(operation['x-websocket'].send), Object.keys(send))
        described += 1
      }
    }
    const own = listOperations(document).filter(({ operation }) => operation.tags[0] === 'server')
    t.strictSame(
      own.map(({ path, verb }) => `${verb} ${path}`),
      ['get /health', 'get /health/live', 'get /openapi.json'],
    )
    t.equal(listOperations(document).length, described + own.length, 'nothing else is described')
  })

  await t.test('every schema of the server is valid', async (t) => {
    const { points } = server.server.runtime.blueprint
    for (const [name, { list, names }] of extensionsOf(server.server.runtime.blueprint))
      for (const [n, entry] of list().entries())
        t.doesNotThrow(() => points.get(name)!.check?.(entry), `${name}, ${names()[n]}`)
    for (const { plugin, declarations } of plugins) {
      t.doesNotThrow(() => assertSettings(plugin), plugin.name)
      for (const { path, receive, send } of declarations.sockets)
        for (const [type, schema] of Object.entries({ ...receive, ...send }))
          t.doesNotThrow(() => compileSchema(schema, 'json'), `${path}, ${type}`)
      for (const { method, path, query, body, response } of declarations.routes) {
        const of = `${method} ${path}`
        if (query) t.doesNotThrow(() => compileSchema(query, 'text'), `${of}, query`)
        if (body) t.doesNotThrow(() => compileSchema(body, 'json'), `${of}, body`)
        for (const schema of Object.values(response))
          if (schema) t.doesNotThrow(() => compileSchema(schema, 'reply'), `${of}, reply`)
      }
    }
  })

  await t.test('its references resolve, and its operation ids are unique', async (t) => {
    for (const ref of new Set(listRefs(document))) {
      const target = ref
        .slice(2)
        .split('/')
        .reduce((part, name) => part?.[name], document)
      t.type(target, Object, ref)
    }
    t.ok(document.components.schemas.Agent, 'schemas of rows have names')
    const operations = listOperations(document)
    t.equal(new Set(operations.map(({ operation }) => operation.operationId)).size, operations.length)
    for (const { path, verb, operation } of operations) {
      t.ok(VERBS.includes(verb))
      t.match(operation.operationId, /^[a-zA-Z0-9]+$/)
      const declared = operation.parameters.filter((parameter: Json) => parameter.in === 'path')
      t.strictSame(
        declared.map(({ name, required }: Json) => [name, required]),
        [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => [name, true]),
        `the parameters of ${path}`,
      )
    }
  })

  await t.test('guarded routes require a token, and public routes do not', async (t) => {
    t.strictSame(document.components.securitySchemes.bearer.scheme, 'bearer')
    for (const { path, verb, operation } of listOperations(document)) {
      if (operation['x-guard'] === undefined) t.strictSame(operation.security, [], `${verb} ${path}`)
      else t.strictSame(operation.security, [{ bearer: [] }], `${verb} ${path}`)
    }
    t.strictSame(document.paths['/auth/login'].post.security, [])
    t.equal(document.paths['/auth/login'].post.requestBody.required, true)
    t.match(document.paths['/auth/me'].get.responses, {
      401: { description: 'AUTH_FAILED, TOKEN_EXPIRED' },
      403: { description: 'USER_DISABLED, FORBIDDEN' },
    })
  })

  await t.test('paged lists declare the Link header', async (t) => {
    for (const { path, verb, operation } of listOperations(document)) {
      const isPaged = operation.parameters.some(({ name }: Json) => name === 'cursor')
      t.equal(Boolean(operation.responses[200]?.headers?.Link), isPaged, `${verb} ${path}`)
    }
  })

  await t.test('`svc openapi` prints the same document as the server', async (t) => {
    const { code, stdout } = await runCommand(createHome(t), ['openapi'])
    t.equal(code, 0)
    t.strictSame(JSON.parse(stdout), document)
  })
})

t.test('an operation has the statuses that follow from its declaration', async (t) => {
  const errors =
    "errors: { RAIN: { status: 409, message: { en: 'a', zh: 'a' } }, HAIL: { status: 409, message: { en: 'a', zh: 'a' } }, LATE_RAIN: { status: 410, code: 'RAIN', message: { en: 'a', zh: 'a' } } },"
  const { paths } = await describe(
    t,
    `host.guard('day', { check() {} })
     host.routes([
       ${routeSource('/open', '1')},
       { method: 'PUT', path: '/sky/:town/:day', summary: 's', guard: 'day', audit: 'sky.set', handler() {},
         query: { type: 'object', properties: { a: { type: 'integer' }, b: { type: 'string' } }, required: ['b'] },
         body: { type: 'object' }, response: { 204: null, 201: { type: 'object' } }, errors: ['RAIN', 'HAIL', 'LATE_RAIN', 'NOT_FOUND'] },
     ])`,
    errors,
  )
  t.strictSame(Object.keys(paths['/open'].get.responses), ['200', '429'])
  const { responses, parameters, requestBody } = paths['/sky/{town}/{day}'].put
  t.strictSame(
    Object.entries<Json>(responses).map(([status, { description }]) => [status, description]),
    [
      ['201', 'Success'],
      ['204', 'Success, no body'],
      ['400', 'BAD_JSON'],
      ['403', 'FORBIDDEN'],
      ['404', 'NOT_FOUND'],
      ['409', 'RAIN, HAIL'],
      ['410', 'RAIN'],
      ['413', 'BODY_TOO_LARGE'],
      ['415', 'UNSUPPORTED_MEDIA_TYPE'],
      ['422', 'VALIDATION_FAILED'],
      ['429', 'RATE_LIMITED'],
    ],
    'errors of disabled plugins are not listed',
  )
  t.strictSame(responses[409].content['application/json'].schema, { $ref: '#/components/schemas/Error' })
  t.strictSame(requestBody.content['application/json'].schema, { type: 'object' })
  t.strictSame(
    parameters.map((parameter: Json) => [parameter.in, parameter.name, parameter.required, parameter.schema]),
    [
      ['path', 'town', true, { type: 'string' }],
      ['path', 'day', true, { type: 'string' }],
      ['query', 'a', false, { type: 'integer' }],
      ['query', 'b', true, { type: 'string' }],
    ],
  )
})

t.test(
  'a socket is described beside the routes of its path, and requires a token only if it is guarded',
  async (t) => {
    const { paths } = await describe(
      t,
      `const frames = { receive: { ask: { type: 'object' } }, send: { say: { title: 'Say', type: 'object' } } }
     host.guard('day', { check() {} })
     host.routes([{ method: 'DELETE', path: '/x/:id', summary: 's', guard: 'day', audit: 'x.delete', response: { 204: null }, handler() {} }])
     host.socket({ path: '/x/:id', summary: 'Guarded', guard: ['day', 'long'], ...frames, handler() {} })
     host.socket({ path: '/y', summary: 'Open', guard: 'public', ...frames, handler() {} })`,
    )
    t.strictSame(Object.keys(paths['/x/{id}']), ['delete', 'get'])
    t.match(paths['/x/{id}'].get, {
      security: [{ bearer: [] }],
      'x-guard': ['day', 'long'],
      'x-websocket': { receive: { ask: { type: 'object' } }, send: { say: { $ref: /Say$/ } } },
      parameters: [
        { name: 'id', in: 'path' },
        { name: 'token', in: 'query' },
      ],
    })
    t.match(paths['/y'].get, { summary: 'Open', security: [], parameters: [] })
    t.notOk(paths['/y'].get['x-guard'])
  },
)

t.test(
  'a schema with a title becomes a component; a different schema with that title is inlined',
  async (t) => {
    const answer = (path: string, schema: string) =>
      `{ method: 'GET', path: '${path}', summary: 's', guard: 'public', response: { 200: ${schema} }, handler() {} }`
    const sun = "{ title: 'Sun', type: 'object', properties: { title: { type: 'string' }, rays: RAYS } }"
    const { paths, components } = await describe(
      t,
      `const RAYS = { title: 'Rays', type: 'array', items: { anyOf: [{ type: 'null' }, { title: 'Ray', type: 'integer' }] } }
     host.routes([
       ${answer('/a', sun)},
       ${answer('/b', `{ type: 'array', items: ${sun} }`)},
       ${answer('/c', "{ title: 'Sun', type: 'string' }")},
       ${answer('/d', "{ title: 'Of many words', type: 'string' }")},
       ${answer('/e', "{ title: 'Anything' }")},
       ${answer('/f', "{ title: 'Error', type: 'string' }")},
     ])`,
    )
    const findReplySchema = (path: string) =>
      paths[path].get.responses[200].content['application/json'].schema
    const refTo = (name: string) => ({ $ref: `#/components/schemas/${name}` })
    t.strictSame(findReplySchema('/a'), refTo('Sun'))
    t.strictSame(findReplySchema('/b'), { type: 'array', items: refTo('Sun') })
    t.strictSame(findReplySchema('/c'), { title: 'Sun', type: 'string' })
    t.strictSame(findReplySchema('/d'), { title: 'Of many words', type: 'string' })
    t.strictSame(findReplySchema('/e'), { title: 'Anything' })
    t.strictSame(findReplySchema('/f'), { title: 'Error', type: 'string' })
    t.strictSame(components.schemas.Sun, {
      title: 'Sun',
      type: 'object',
      properties: { title: { type: 'string' }, rays: refTo('Rays') },
    })
    t.strictSame(components.schemas.Rays.items, { anyOf: [{ type: 'null' }, refTo('Ray')] })
    t.match(components.schemas.Error, { required: ['error'] })
  },
)

t.test('the documentation page exists only if it is enabled', async (t) => {
  const server = await startKernel(t)
  for (const path of ['/docs', '/docs/', '/docs/start.js', '/docs/swagger-ui.css'])
    t.match(await server.request('GET', path), { status: 404, body: { error: { code: 'NOT_FOUND' } } })
  t.equal((await server.request('GET', '/openapi.json')).status, 200)
})

t.test('the documentation page and all of its files are served by this server', async (t) => {
  const server = await startKernel(t, { env: { SVC_ENABLE_API_DOCS: '1' } })
  const get = async (path: string, method = 'GET') => {
    const response = await fetch(`${server.url}${path}`, { method })
    return { response, content: Buffer.from(await response.arrayBuffer()) }
  }
  const { response, content } = await get('/api/docs')
  t.equal(response.status, 200)
  t.match(response.headers.get('content-type'), /^text\/html/)
  const page = content.toString()
  t.notMatch(page, /https?:|\/\/\w/)
  t.strictSame((await get('/api/docs/')).content, content, 'also with a trailing slash')

  const links = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, link]) => link!)
  t.equal(links.length, 4)
  const types: Record<string, RegExp> = { js: /javascript/, css: /^text\/css/, png: /^image\/png$/ }
  for (const link of links) {
    const { response, content } = await get(link)
    t.equal(response.status, 200, link)
    t.match(response.headers.get('content-type'), types[link.split('.').at(-1)!]!)
    t.equal(response.headers.get('x-content-type-options'), 'nosniff')
    t.match(
      response.headers.get('content-security-policy'),
      /^default-src 'self';.*; frame-ancestors 'none'$/,
    )
    t.equal(response.headers.get('referrer-policy'), 'no-referrer')
    t.notMatch(response.headers.get('content-security-policy'), /https?:|\*/)
    t.ok(content.length > 50)
    const head = await get(link, 'HEAD')
    t.equal(head.response.status, 200)
    t.equal(head.content.length, 0)
  }
  const { content: start } = await get('/api/docs/start.js')
  t.match(start.toString(), /'\/api\/openapi\.json'/)
  t.notMatch(start.toString(), /https?:/)

  t.equal((await get('/api/docs', 'POST')).response.status, 404)
  t.equal((await get('/api/docs/package.json')).response.status, 404)
  t.equal((await get('/api/docs/..%2fpackage.json')).response.status, 404)
})

t.test('a row requires its properties except the optional ones, and takes no others', async (t) => {
  const text = { type: 'string' } as const
  t.ok(accepts(rowOf({ a: text, b: text }), { a: 'x', b: 'y' }))
  t.notOk(accepts(rowOf({ a: text, b: text }), { a: 'x' }))
  const schema = rowOf({ a: text, b: text }, ['b'])
  t.ok(accepts(schema, { a: 'x' }))
  t.notOk(accepts(schema, { b: 'y' }))
  t.notOk(accepts(schema, { a: 'x', c: 'z' }))
})
