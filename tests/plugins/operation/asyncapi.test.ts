import { Ajv, type AnySchema } from 'ajv'
import { readBlueprint } from '../../../kernel/loading/blueprint.ts'
import t, { type Test } from '../../run/file-test.ts'
import { lint } from '../../support/api-linter.ts'
import { bareConfig, createHome, pluginSource, runCommand, startKernel } from '../../support/kernel.ts'
import { installPlugin } from '../../support/server.ts'

// biome-ignore lint/suspicious/noExplicitAny: the test asserts the content of the document
type Json = any

/** The messages of an operation, by type. */
function messagesOf(document: Json, operation: string): Record<string, Json> {
  const resolve = ({ $ref }: { $ref: string }) =>
    $ref
      .slice(2)
      .split('/')
      .reduce((part, name) => part[name.replace('~1', '/')], document)
  const messages = document.operations[operation].messages.map((ref: Json) => resolve(resolve(ref)))
  return Object.fromEntries(messages.map((message: Json) => [message.name, message]))
}

/** Prints the document of a server with one plugin. */
async function describe(t: Test, setup: string, env: Record<string, string> = {}): Promise<Json> {
  const home = createHome(t, bareConfig())
  installPlugin(home, 'line', pluginSource('line', setup))
  const { code, stdout, stderr } = await runCommand(home, ['asyncapi'], { env })
  t.strictSame({ code, stderr }, { code: 0, stderr: '' })
  return JSON.parse(stdout)
}

t.test('the document of the whole server', async (t) => {
  const home = createHome(t)
  const { stdout } = await runCommand(home, ['asyncapi'])
  const document = JSON.parse(stdout)
  const { plugins, version } = await readBlueprint({ home, env: {} })

  t.match(document, {
    asyncapi: '3.0.0',
    info: { version },
  })
  t.match(
    document.info.tags.find(({ name }: Json) => name === 'Chat'),
    { description: /^Threads/ },
  )

  await t.test('it has every frame of every socket, with its type and a sentence', (t) => {
    for (const { plugin, declarations } of plugins)
      for (const { path, receive, send } of declarations.sockets) {
        const address = path.replace(/:(\w+)/g, '{$1}')
        const [name, channel] = Object.entries<Json>(document.channels).find(
          ([, channel]) => channel.address === address,
        )!
        t.match(channel, { tags: [{ name: plugin.tag?.name }], bindings: { ws: { method: 'GET' } } })
        for (const [action, frames] of [
          ['receive', receive],
          ['send', send],
        ] as const) {
          const messages = messagesOf(document, `${name}_${action}`)
          t.strictSame(Object.keys(messages).sort(), Object.keys(frames).sort())
          for (const [type, message] of Object.entries(messages)) {
            t.match(message, { title: /^[A-Z]\w+Frame$/, summary: /^[A-Z].+\.$/ }, type)
            t.match(message.payload.$ref, `#/components/schemas/${message.title}`)
            const payload = document.components.schemas[message.title]
            t.match(payload, { properties: { type: { type: 'string', const: type } } })
            t.equal(payload.required[0], 'type')
          }
        }
      }
    t.end()
  })

  await t.test('every example fits its schema', (t) => {
    const ajv = new Ajv({ strict: false, allErrors: true })
    const { components } = document
    ajv.addSchema({ components } as AnySchema, 'asyncapi.json')
    for (const [name, { payload, examples }] of Object.entries<Json>(components.messages)) {
      const validate = ajv.compile({ $ref: `asyncapi.json${payload.$ref}` })
      t.ok(examples.length > 0, name)
      for (const example of examples)
        t.ok(validate(example.payload), `${name}: ${ajv.errorsText(validate.errors)}`)
    }
    t.end()
  })

  await t.test('event streams are channels that only the server sends on', (t) => {
    const streams = plugins.flatMap(({ declarations: { routes } }) =>
      routes.filter(({ stream }) => stream === 'events'),
    )
    const channels = Object.entries<Json>(document.channels).filter(
      ([, { servers }]) => servers[0].$ref === '#/servers/streams',
    )
    t.equal(channels.length, streams.length)
    for (const [name] of channels) {
      t.notOk(document.operations[`${name}_receive`])
      t.ok(messagesOf(document, `${name}_send`))
    }
    const resumed = channels.find(([, { address }]) => address === '/agents/{id}/chat/hitl/resume')!
    t.ok(resumed[1].messages.ContentFrame, 'by the same names as the frames of the socket')
    t.end()
  })

  await t.test('a chat says how it is closed, resumed and bounded', (t) => {
    const chat = Object.values<Json>(document.channels).find(
      ({ address }) => address === '/agents/{id}/chat/ws',
    )
    t.match(chat['x-closes'], {
      1001: /subscribe/,
      1008: /.+/,
      1009: /.+/,
      1013: /subscribe/,
      4401: /session/,
    })
    for (const words of [
      'after_seq',
      'client_message_id',
      'frames a second',
      'pings every 25 seconds',
      '| 1013 |',
    ])
      t.ok(chat.description.includes(words), words)
    t.strictSame(Object.keys(chat.bindings.ws.headers.properties), [
      'Authorization',
      'Sec-WebSocket-Protocol',
    ])
    t.strictSame(Object.keys(chat.bindings.ws.query.properties), ['token'])
    t.end()
  })
})

t.test('channels, messages and security follow from the declarations', async (t) => {
  const said =
    "{ title: 'Said', description: 'Words.', type: 'object', properties: { text: { type: 'string' } } }"
  const document = await describe(
    t,
    `host.guard('day', { description: 'For early risers, {argument}.', check() {} })
     const said = ${said}
     const route = (path, guard, schema, more) => ({ method: 'GET', path, summary: 's', guard, stream: 'events', response: { 200: schema }, handler() {}, ...more })
     const event = (type, more) => ({ ...more, type: 'object', properties: { type: { const: type } }, required: ['type'] })
     host.socket({ path: '/a/:id', summary: 'Guarded', description: 'In order.', guard: ['day', 'long'], handler() {},
       closes: { 1008: 'Nobody listens.', 4000: 'As you wish.' },
       receive: { say: said, 'odd type': { type: 'object' }, both: { type: 'object' } },
       send: { say: said, both: { type: 'object', properties: { n: { type: 'integer' } } } } })
     host.socket({ path: '/b', summary: 'Open', guard: 'public', handler() {},
       receive: { say: { title: 'Said', type: 'object' } },
       send: { error: { title: 'Of many words', type: 'object' } } })
     host.routes([
       route('/news/:day', 'day', { oneOf: [event('rain', { title: 'Rain' }), event('sun', { title: 'Sun' })], type: 'object', discriminator: { propertyName: 'type' }, required: ['type'] },
         { query: { type: 'object', properties: { after: { type: 'integer' } } } }),
       route('/mixed', 'public', { oneOf: [event('rain'), { type: 'object' }] }),
       route('/ticks', 'public', { title: 'Tick', type: 'object', properties: { part: { type: 'object', discriminator: { propertyName: 'type' }, required: ['type'], oneOf: [event('a')] } },
         oneOf: [event('a'), { type: 'object', properties: { type: { type: 'string' } } }] }),
       route('/either', 'public', { title: 'Whole', type: 'object' }, { events: { title: 'Piece', type: 'object' } }),
       { method: 'GET', path: '/plain', summary: 's', guard: 'public', response: { 200: {} }, handler() {} },
     ])`,
  )
  t.strictSame(await lint(document), [])
  const { channels, operations, components } = document
  t.strictSame(
    Object.values<Json>(channels).map(({ address }) => address),
    ['/a/{id}', '/b', '/news/{day}', '/mixed', '/ticks', '/either'],
  )
  const [guarded, open, news, mixed, ticks] = Object.keys(channels) as [
    string,
    string,
    string,
    string,
    string,
  ]
  const schemes = (name: string) => operations[name].security?.map(({ $ref }: Json) => $ref.split('/').at(-1))

  await t.test('a guarded socket takes a token in three places, a public one takes none', (t) => {
    t.match(channels[guarded], {
      parameters: { id: {} },
      'x-guard': ['day', 'long'],
      tags: [{ name: 'line' }],
    })
    t.match(
      channels[guarded].description,
      /^For early risers, long\.\n\nIn order\.\n\n### Rules.*\| 1008 \| Nobody listens\. \|/s,
    )
    t.match(channels[guarded]['x-closes'], {
      1001: /shutting down/,
      1008: 'Nobody listens.',
      4000: 'As you wish.',
    })
    t.strictSame(schemes(`${guarded}_receive`), ['bearer', 'subprotocol', 'query'])
    t.strictSame(schemes(`${guarded}_send`), ['bearer', 'subprotocol', 'query'])
    t.strictSame(channels[open].bindings.ws, { method: 'GET', bindingVersion: '0.1.0' })
    t.match(channels[open].description, /^### Rules/)
    t.equal(channels[open].parameters, undefined)
    t.equal(channels[open]['x-guard'], undefined)
    t.equal(schemes(`${open}_send`), undefined)
    t.end()
  })

  await t.test(
    'a frame is named by its title unless another has it, and else by its channel and type',
    (t) => {
      t.strictSame(Object.keys(channels[guarded].messages), [
        'Said',
        `${guarded}_receive_odd_type`,
        `${guarded}_receive_both`,
        `${guarded}_send_both`,
        'SocketError',
      ])
      t.strictSame(Object.keys(channels[open].messages), [`${open}_receive_say`, `${open}_send_error`])
      t.match(components.messages.Said, {
        name: 'say',
        title: 'Said',
        summary: 'Words.',
        payload: { $ref: '#/components/schemas/Said' },
      })
      t.match(components.messages[`${guarded}_receive_both`], {
        name: 'both',
        title: 'both',
        payload: { required: ['type'] },
      })
      t.match(messagesOf(document, `${guarded}_receive`)['odd type']!.payload.properties.type, {
        const: 'odd type',
      })
      t.end()
    },
  )

  await t.test('a stream has a message for each type that its data tells apart', (t) => {
    t.strictSame(Object.keys(messagesOf(document, `${news}_send`)), ['rain', 'sun', 'error'])
    t.match(operations[`${news}_send`].bindings.http, { method: 'GET', query: { properties: { after: {} } } })
    t.strictSame(schemes(`${news}_send`), ['bearer'])
    t.strictSame(Object.keys(messagesOf(document, `${mixed}_send`)), ['event', 'error'])
    t.strictSame(Object.keys(channels[ticks].messages), ['Tick', 'StreamError'])
    const either = channels[Object.keys(channels).at(-1)!]
    t.strictSame(Object.keys(either.messages), ['Piece', 'StreamFailure'], 'events are not the whole reply')
    t.match(either.description, /An object with `error` ends the stream\./)
    t.equal(components.schemas.Tick.properties.part.discriminator, 'type')
    t.equal(schemes(`${ticks}_send`), undefined)
    t.end()
  })
})

t.test('the servers are at the public address, or at one to be filled in', async (t) => {
  const servers = async (env = {}) => (await describe(t, '', env)).servers
  t.match(await servers(), {
    sockets: {
      host: '{host}',
      pathname: '/api',
      protocol: 'ws',
      variables: { host: { default: '127.0.0.1:8088' } },
    },
    streams: { host: '{host}', protocol: 'http' },
  })
  const address = { SVC_PUBLIC_URL: 'https://agents.example.com' }
  t.match(await servers(address), {
    sockets: { host: 'agents.example.com', protocol: 'wss', variables: undefined },
    streams: { host: 'agents.example.com', protocol: 'https' },
  })
  t.match(await servers({ SVC_PUBLIC_URL: 'http://intranet:8088' }), {
    sockets: { host: 'intranet:8088', protocol: 'ws' },
  })
})

t.test('a frame shows its own examples, or one made from its fields', async (t) => {
  const say =
    "{ type: 'object', properties: { town: { type: 'string', examples: ['Oslo'] }, day: { type: 'string' } } }"
  const set = "{ type: 'object', examples: [{ type: 'set', n: 1 }, { type: 'set', n: 2 }] }"
  const document = await describe(
    t,
    `host.socket({ path: '/a', operation_id: 'talk', summary: 's', guard: 'public', handler() {}, send: {}, receive: { say: ${say}, set: ${set} } })`,
  )
  const messages = messagesOf(document, 'talk_receive')
  t.strictSame(messages.say!.examples, [{ payload: { type: 'say', town: 'Oslo' } }])
  t.strictSame(messages.set!.examples, [
    { payload: { type: 'set', n: 1 } },
    { payload: { type: 'set', n: 2 } },
  ])
})

t.test('a server serves what the command prints, to everybody', async (t) => {
  const socket =
    "host.socket({ path: '/a', summary: 's', guard: 'public', receive: {}, send: {}, handler() {} })"
  const server = await startKernel(t, { plugins: { line: pluginSource('line', socket) } })
  for (let call = 1; call <= 2; call += 1) {
    const { status, body } = await server.request('GET', '/asyncapi.json', { token: null })
    t.equal(status, 200)
    t.strictSame(body, await describe(t, socket))
  }
})
