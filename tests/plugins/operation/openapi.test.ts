import { assertSettings } from '../../../kernel/contract/plugin.ts'
import { kernelRoutes } from '../../../kernel/http/health.ts'
import { extensionsOf, readBlueprint } from '../../../kernel/loading/blueprint.ts'
import { compileSchema, type JSONSchema } from '../../../kernel/schema.ts'
import { createComponents } from '../../../plugins/operation/api-docs/documents/components.ts'
import { createExample } from '../../../plugins/operation/api-docs/documents/example.ts'
import t, { type Test } from '../../run/file-test.ts'
import { createHome, pluginSource, routeSource, runCommand, startKernel } from '../../support/kernel.ts'
import { startServer } from '../../support/server.ts'

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

t.test('a route that answers with a stream or with a body has both', async (t) => {
  const { paths } = await describe(
    t,
    `host.routes([{
      method: 'GET', path: '/either', summary: 'Either', guard: 'public', stream: 'events', handler: () => ({}),
      events: { type: 'string' }, response: { 200: { type: 'number' } },
    }])`,
  )
  t.strictSame(paths['/either'].get.responses[200].content, {
    'application/json': { schema: { type: 'number' }, example: 1 },
    'text/event-stream': { schema: { anyOf: [{ type: 'string' }, { $ref: '#/components/schemas/Error' }] } },
  })
})

t.test('a client that has a document gets it again only when it has changed', async (t) => {
  const server = await startServer(t)
  for (const path of ['/openapi.json', '/asyncapi.json']) {
    const first = await fetch(`${server.url}/api${path}`)
    const tag = first.headers.get('etag')!
    t.match(tag, /^"[\w-]{22}"$/, path)
    t.equal(first.headers.get('cache-control'), 'no-cache')
    await first.json()
    for (const [tags, status] of [
      [tag, 304],
      [`"other", W/${tag}`, 304],
      ['*', 304],
      ['"other"', 200],
    ] as const) {
      const reply = await fetch(`${server.url}/api${path}`, { headers: { 'if-none-match': tags } })
      t.equal(reply.status, status, tags)
      t.equal(reply.headers.get('etag'), tag)
      t.equal((await reply.text()) === '', status === 304)
    }
  }
})

t.test('the document describes the whole server', async (t) => {
  const server = await startServer(t)
  const { status, body: document, headers } = await server.request('GET', '/openapi.json', { token: null })
  t.equal(status, 200)
  t.match(headers.get('content-type'), /^application\/json/)
  const { plugins, version } = await readBlueprint({ home: createHome(t), env: {} })

  await t.test('it contains the version, an introduction, and tags in the order of a reader', async (t) => {
    t.match(document, { openapi: '3.1.0', info: { version }, servers: [{ url: '/api' }] })
    for (const heading of ['Signing in', 'Errors', 'Paging', 'Limits', 'Repeated requests', 'Versions'])
      t.match(document.info.description, `## ${heading}`)
    const names = document.tags.map(({ name }: Json) => name)
    t.strictSame([names[0], names.at(-1)], ['Signing in', 'Server'])
    t.equal(new Set(names).size, names.length)
    for (const { name, description } of document.tags) t.match(description, /\w.*\.$/, name)
    const used = new Set(listOperations(document).map(({ operation }) => operation.tags[0]))
    t.strictSame(names, [...used], 'operations come in the order of their tags, and every tag has some')
  })

  await t.test('it lists each route with the tag of its plugin', async (t) => {
    let described = 0
    for (const { plugin, declarations } of plugins) {
      for (const { method, path, operation_id, summary, body, upload, response } of declarations.routes) {
        const operation = document.paths[toTemplate(path)][method.toLowerCase()]
        t.match(
          operation,
          { operationId: operation_id, summary, tags: [plugin.tag!.name] },
          `${method} ${path}`,
        )
        t.match(operation.operationId, /^[a-z]+[A-Z]/, `${method} ${path}`)
        if (body && !upload)
          t.equal(operation.requestBody.required, !accepts(body, {}), `${path}, required body`)
        for (const [status, schema] of Object.entries(response))
          t.equal(operation.responses[status].content !== undefined, schema !== null, `${path} ${status}`)
        described += 1
      }
    }
    const own = listOperations(document).filter(({ operation }) => operation.tags[0] === 'Server')
    t.strictSame(
      own.map(({ path, verb }) => `${verb} ${path}`),
      ['get /health', 'get /health/ready', 'get /health/live', 'get /openapi.json', 'get /asyncapi.json'],
    )
    t.equal(listOperations(document).length, described + kernelRoutes.length, 'nothing else is described')
  })

  await t.test('every schema of the server is valid', async (t) => {
    const { points } = server.server.runtime.blueprint
    for (const [name, { list, names, folder }] of extensionsOf(server.server.runtime.blueprint))
      for (const [n, entry] of list().entries()) {
        const key = names()[n]!
        t.doesNotThrow(() => points.get(name)!.check?.(entry, folder(key) ?? ''), `${name}, ${key}`)
      }
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
      else if (operation['x-guard'] === 'share_reader')
        t.strictSame(operation.security, [{}, { bearer: [] }], `${verb} ${path}, with or without a token`)
      else t.strictSame(operation.security, [{ bearer: [] }], `${verb} ${path}`)
    }
    t.strictSame(document.paths['/auth/login'].post.security, [])
    t.equal(document.paths['/auth/login'].post.requestBody.required, true)
    t.match(document.paths['/auth/me'].get.responses, {
      401: { $ref: /AuthFailedOrTokenExpiredError$/ },
      403: { $ref: /ForbiddenOrPasswordChangeRequiredOrUserDisabledError$/ },
      default: { $ref: /Error$/ },
    })
    t.match(document.paths['/users/{id}'].delete.description, 'the permission `users`')
  })

  await t.test('every operation is described in words, for somebody who writes a client', async (t) => {
    const isOwn = (text: string, { summary }: Json) => text.length > 40 && text !== `${summary}.`
    for (const { path, verb, operation } of listOperations(document)) {
      const of = `${verb} ${path}`
      const { summary, description, parameters } = operation
      t.ok(summary.length <= 70, `${of}, the length of its summary`)
      t.match(summary, /^(?!The |One |All |A )[A-Z][a-z]+(?<!s) [a-z].*[^.]$/, `${of}, an imperative`)
      t.ok(isOwn(description.split('\n\n')[0], operation), `${of}, a description of its own`)
      for (const { name, in: location, description } of parameters)
        t.match(description, /\w/, `${of}, ${location} parameter ${name}`)
    }
  })

  await t.test('examples look like real requests and replies', async (t) => {
    /** Lists the texts of an example that are only the name of their field. */
    const listNames = (value: Json, name: string): string[] => {
      if (typeof value === 'string') return value === name ? [name] : []
      if (Array.isArray(value)) return value.flatMap((item) => listNames(item, name))
      return Object.entries(Object(value)).flatMap(([key, item]) => listNames(item, key))
    }
    for (const { path, verb, operation } of listOperations(document))
      for (const { content = {} } of [operation.requestBody, ...Object.values(operation.responses)].filter(
        Boolean,
      ))
        for (const { example } of Object.values<Json>(content))
          t.strictSame(
            // The kind of block whose only field has the same name, and what a model reads.
            listNames(example, 'text').filter((name) => name !== 'text'),
            [],
            `${verb} ${path}`,
          )
    const exampleOf = (path: string, verb: string, status: number) =>
      document.paths[path][verb].responses[status].content['application/json'].example
    for (const path of ['/openapi.json', '/asyncapi.json'])
      t.match(exampleOf(path, 'get', 200), { info: { title: String } })
    t.match(
      [exampleOf('/admin/providers', 'get', 200)[0], exampleOf('/admin/providers/{id}', 'patch', 200)],
      [
        { scope: 'global', owner: null },
        { scope: 'global', owner: null },
      ],
    )
    t.equal(exampleOf('/providers/{id}', 'get', 200).scope, 'user')
  })

  await t.test('each enum is one component, with a name of its own', async (t) => {
    const enums = Object.entries<Json>(document.components.schemas).filter(([, schema]) => schema.enum)
    t.strictSame(
      enums.map(([name]) => name).filter((name) => /(Item|Value)$|Body|Reply/.test(name)),
      [],
      'none is named after its place',
    )
    const texts = enums.map(([, { enum: values }]) => JSON.stringify(values))
    t.strictSame(
      texts.filter((text, index) => texts.indexOf(text) !== index),
      [],
    )
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

t.test('an operation is described by its declaration', async (t) => {
  const message = "message: { en: 'It rains.', zh: '下雨。' }"
  const errors = `errors: { RAIN: { status: 409, ${message} }, HAIL: { status: 409, ${message} }, LATE_RAIN: { status: 410, code: 'RAIN', ${message} }, A_VERY_LONG_CODE_OF_AN_ERROR: { status: 418, ${message} }, ANOTHER_EVEN_LONGER_CODE_OF_SOME_ERROR: { status: 418, ${message} } },`
  const { paths, components, tags } = await describe(
    t,
    `host.guard('day', { description: 'By day.', errors: ['FORBIDDEN', 'RAIN'], check() {},
       params: { day: { type: 'string', description: 'Its date' }, night: { type: 'string' } } })
     host.guard('hour', { after: 'day', description: 'At {argument}.', check() {} })
     host.routes([
       ${routeSource('/open/:town', '1')},
       { method: 'GET', path: '/old', summary: 's', guard: 'public', handler() {}, response: { 302: null } },
       { method: 'PUT', path: '/sky/:town/:day', operation_id: 'setSky', summary: 'Set', description: 'More of it.', guard: ['hour', 'noon'],
         audit: 'sky.set', handler() {},
         params: { type: 'object', properties: { town: { type: 'string', description: 'Its name' } } },
         query: { type: 'object', properties: { a: { type: 'integer' }, b: { enum: ['x', 'y'] } }, required: ['b'] },
         body: { type: 'object' }, response: { 204: null, 201: { type: 'object' } },
         errors: ['RAIN', 'HAIL', 'LATE_RAIN', 'NOT_FOUND', 'A_VERY_LONG_CODE_OF_AN_ERROR', 'ANOTHER_EVEN_LONGER_CODE_OF_SOME_ERROR'] },
     ])`,
    errors,
  )
  t.strictSame(
    tags.map(({ name }: Json) => name),
    ['weather', 'Server'],
    'a plugin without a tag has its own name, before the server',
  )
  const { operationId, description, responses: open } = paths['/open/{town}'].get
  t.strictSame([operationId, description], ['getOpenByTown', 'Answer.'])
  t.strictSame(Object.keys(open), ['200', '400', '404', '429', 'default'])
  t.equal(paths['/old'].get.responses[302].description, 'Redirect')

  const operation = paths['/sky/{town}/{day}'].put
  t.match(operation, {
    operationId: 'setSky',
    description: 'More of it.\n\nBy day. At noon.',
    'x-guard': ['hour', 'noon'],
    security: [{ bearer: [] }],
  })
  const { responses, parameters, requestBody } = operation
  const nameOf = (status: string) =>
    responses[status].$ref?.split('/').at(-1) ?? responses[status].description
  t.strictSame(
    Object.keys(responses).map((status) => [status, nameOf(status)]),
    [
      ['201', 'Success'],
      ['204', 'Success, no body'],
      ['400', 'BadJsonOrBadRequestError'],
      ['403', 'ForbiddenError'],
      ['404', 'NotFoundError'],
      ['409', 'HailOrRainError'],
      ['410', 'LateRainError'],
      ['413', 'BodyTooLargeError'],
      ['415', 'UnsupportedMediaTypeError'],
      ['418', 'SetSky418Error'],
      ['422', 'ValidationFailedError'],
      ['429', 'RateLimitedError'],
      ['default', 'Error'],
    ],
  )
  const codeOf = (name: string) => components.schemas[name].properties.error.properties.code
  t.strictSame(codeOf('HailOrRainError'), { type: 'string', enum: ['HAIL', 'RAIN'] })
  t.strictSame(codeOf('LateRainError').enum, ['RAIN'], 'the code that clients read')
  t.notOk(codeOf('Error').enum, 'the server may answer more')
  const { description: lines, content } = components.responses.HailOrRainError
  t.equal(lines, '- `HAIL`: It rains.\n- `RAIN`: It rains.')
  t.match(content['application/json'], {
    schema: { $ref: '#/components/schemas/HailOrRainError' },
    examples: { HAIL: { value: { error: { code: 'HAIL', message: 'It rains.' } } } },
  })
  t.ok(components.responses.RateLimitedError.headers['Retry-After'])
  t.strictSame(requestBody.content['application/json'], {
    schema: { $ref: '#/components/schemas/SetSkyBody' },
    example: {},
  })
  t.strictSame(
    parameters.map(({ in: location, name, required, schema, description = null }: Json) => [
      location,
      name,
      required,
      schema,
      description,
    ]),
    [
      ['path', 'town', true, { type: 'string' }, 'Its name'],
      ['path', 'day', true, { type: 'string' }, 'Its date'],
      ['query', 'a', false, { type: 'integer' }, null],
      ['query', 'b', true, { $ref: '#/components/schemas/SetSkyB' }, null],
    ],
  )
})

t.test('an example is made from a schema', async (t) => {
  const example = (schema: JSONSchema, isRequest = false) => createExample(schema, { isRequest })
  const text = { type: 'string' }
  for (const [schema, expected] of [
    [text, 'text'],
    [{ ...text, format: 'url' }, 'https://example.com'],
    [{ type: 'boolean' }, true],
    [{ type: 'integer', minimum: 3 }, 3],
    [{ type: ['null', 'number'] }, 1],
    [{ type: 'null' }, null],
    [{}, {}],
    [{ const: 7 }, 7],
    [{ enum: ['a', 'b'] }, 'a'],
    [{ ...text, default: 'd' }, 'd'],
    [{ ...text, examples: ['e'] }, 'e'],
    [{ type: 'array', items: text }, ['text']],
    [{ type: 'array' }, []],
    [{ type: 'array', items: text, maxItems: 0 }, []],
    [{ anyOf: [{ type: 'null' }, { type: 'integer' }] }, 1],
    [{ type: 'object', additionalProperties: text }, { name: 'name' }],
    [{ type: 'object', additionalProperties: true }, {}],
  ] as const)
    t.strictSame(example(schema), expected, JSON.stringify(schema))
  const properties = {
    id: text,
    agent_id: text,
    created_at: { type: 'integer' },
    note: { ...text, examples: ['n'] },
    any: true,
  }
  const object = { type: 'object', properties, required: ['id'] }
  t.match(example(object), { agent_id: /^01/, created_at: 1_767_225_600, note: 'n', any: {} })
  t.strictSame(Object.keys(example(object, true) as object), ['id', 'note'], 'requests show what they need')
  const either = { ...object, oneOf: [{ required: ['agent_id'] }, { required: ['any'] }] }
  t.strictSame(Object.keys(example(either, true) as object), ['id', 'agent_id', 'note'])
})

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

t.test('enums and members of unions become components, with their types', async (t) => {
  const { schemas, describe } = createComponents()
  const text = { type: 'string' }
  const member = (kind: string) => ({ type: 'object', properties: { kind: { const: kind }, a: text } })
  const weather = {
    title: 'Weather',
    type: 'object',
    properties: {
      wind_force: { enum: ['calm', 'storm'] },
      single: { enum: ['only'] },
      mixed: { enum: ['a', 1, null, 1.5] },
      sky: { title: 'Sky', enum: ['clear'], description: 'Above' },
      other_sky: { title: 'Sky', enum: ['clear'], default: 'clear', examples: ['clear'] },
      town: { title: 'Place', type: 'object', properties: {}, description: 'Of it', default: {} },
      fall: { oneOf: [member('rain'), member('snow_storm'), { title: 'Hail', ...member('hail') }, text] },
      any: true,
      pair: { type: 'array', prefixItems: [text, true], items: false },
      map: { type: 'object', additionalProperties: { enum: ['x', 'y'] } },
      open: { type: 'object', additionalProperties: true },
      name: { ...text, pattern: '^\\p{L}+$' },
      line: { ...text, pattern: '^\\P{Cc}[^\\s\\p{Cc}\\p{Cs}]*$' },
      half: { ...text, pattern: '^[^\\u007f\\ud800-\\udfff]*$' },
      address: { ...text, format: 'url' },
      free: { type: 'object' },
      code: { ...text, pattern: '^[a-z]+$' },
    },
  }
  t.strictSame(describe(weather, 'Reply'), { $ref: '#/components/schemas/Weather' })
  const refTo = (name: string) => ({ $ref: `#/components/schemas/${name}` })
  t.strictSame((schemas.Weather as Json).properties, {
    wind_force: refTo('WeatherWindForce'),
    single: { type: 'string', enum: ['only'] },
    mixed: refTo('WeatherMixed'),
    sky: { ...refTo('Sky'), description: 'Above' },
    other_sky: { ...refTo('Sky'), default: 'clear', examples: ['clear'] },
    town: { ...refTo('Place'), default: {} },
    fall: { oneOf: [refTo('RainWeatherFall'), refTo('SnowStormWeatherFall'), refTo('Hail'), text] },
    any: {},
    pair: { type: 'array', prefixItems: [text, {}], items: false },
    map: { type: 'object', additionalProperties: refTo('WeatherMapValue') },
    open: { type: 'object', additionalProperties: true },
    name: { type: 'string', pattern: undefined },
    line: {
      type: 'string',
      pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f][^\\s\\u0000-\\u001f\\u007f-\\u009f]*$',
    },
    half: { type: 'string', pattern: '^[^\\u007f]*$' },
    address: { type: 'string', format: 'uri' },
    free: { type: 'object', additionalProperties: true },
    code: { type: 'string', pattern: '^[a-z]+$' },
  })
  t.strictSame(schemas.WeatherMixed, {
    type: ['string', 'integer', 'null', 'number'],
    enum: ['a', 1, null, 1.5],
  })
  t.strictSame(
    schemas.Sky,
    { type: 'string', title: 'Sky', enum: ['clear'] },
    'without words about one place',
  )
  t.match(schemas.Place, { description: 'Of it' })
  t.match(schemas.SnowStormWeatherFall, { properties: { kind: { type: 'string', const: 'snow_storm' } } })
})

t.test('a text or a number that may be null has two types', (t) => {
  const { describe } = createComponents()
  const none = { type: 'null' }
  const text = { type: 'string', maxLength: 9, description: 'A word' }
  const ofPlace = { description: 'A word; null for none', examples: ['yes'] }
  t.strictSame(describe({ anyOf: [text, none], ...ofPlace }, 'Word'), {
    type: ['string', 'null'],
    maxLength: 9,
    ...ofPlace,
  })
  for (const other of [{ type: 'object', properties: {} }, { type: 'string', const: 'yes' }, {}]) {
    const union = { anyOf: [other, none] }
    t.strictSame(describe(union, 'Other'), union)
  }
  const three = { anyOf: [text, none, { type: 'integer' }] }
  t.strictSame(describe(three, 'Three'), three)
  t.end()
})

t.test('a union names the member that each value of its discriminator selects', (t) => {
  const { describe } = createComponents()
  const member = (kind: object, a: object = {}) => ({ type: 'object', properties: { kind, a } })
  const weather = (a: object) => ({
    discriminator: { propertyName: 'kind' },
    oneOf: [
      member({ const: 'rain' }, a),
      { title: 'Still', ...member({ enum: ['fog', 'haze'] }) },
      { title: 'Hail', ...member({ const: 'hail' }) },
    ],
  })
  const still = '#/components/schemas/Still'
  const mapping = { fog: still, haze: still, hail: '#/components/schemas/Hail' }
  t.match(describe(weather({}), 'Weather'), {
    discriminator: { mapping: { rain: '#/components/schemas/RainWeather', ...mapping } },
  })
  const { discriminator } = describe(weather({ type: 'string' }), 'Weather') as Json
  t.strictSame(discriminator.mapping, mapping, 'a member that has no name of its own is left out')
  t.end()
})
