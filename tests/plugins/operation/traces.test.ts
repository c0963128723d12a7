import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import t from '../../run/file-test.ts'
import { startChat } from '../../support/chat.ts'
import { hidePackages } from '../../support/hidden-packages.ts'
import { spawnCommand, spawnServer } from '../../support/kernel.ts'
import { createHome } from '../../support/server.ts'
import { createDatabaseUrl } from '../../support/test-engine.ts'

interface OtlpSpan {
  name: string
  traceId: string
  spanId: string
  parentSpanId?: string
  status: { code?: number }
  attributes: { key: string; value: Record<string, unknown> }[]
}

/** Starts a collector that speaks OTLP over HTTP with JSON. */
async function startCollector() {
  const spans: OtlpSpan[] = []
  const services: unknown[] = []
  const server = createServer(async (request, response) => {
    const body = (await json(request)) as {
      resourceSpans: { resource: { attributes: unknown }; scopeSpans: { spans: OtlpSpan[] }[] }[]
    }
    if (request.url === '/v1/traces')
      for (const { resource, scopeSpans } of body.resourceSpans) {
        services.push(resource.attributes)
        spans.push(...scopeSpans.flatMap((scope) => scope.spans))
      }
    response.setHeader('content-type', 'application/json').end('{}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { url, spans, services, close: () => server.close() }
}

t.test('requests, turns, model calls and tool calls are sent to the collector', async (t) => {
  const collector = await startCollector()
  t.teardown(collector.close)
  const chat = await startChat(t, { env: { OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/` } })
  const socket = await chat.connect()
  chat.fake.next(
    { toolCalls: [{ id: '1', name: 'write_todos', arguments: { todos: [] } }] } as never,
    { text: 'done' } as never,
  )
  const thread_id = await chat.createThread()
  const { turn_id } = await socket.ask({ thread_id, text: 'plan' })
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
  for (const header of [traceparent, 'nonsense', `00-${'0'.repeat(32)}-b7ad6b7169203331-01`])
    await fetch(`${chat.server.url}/api/health/live`, { headers: { traceparent: header } })
  const { body: me } = await chat.server.request('GET', '/auth/me')
  const user_id: string = me.id
  await chat.server.stop()

  const { spans, services } = collector
  const attributesOf = ({ attributes }: OtlpSpan) =>
    Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]))
  const turn = spans.find(({ name }) => name === 'turn')!
  t.match(attributesOf(turn), { 'svc.turn_id': turn_id, 'svc.stop_reason': 'end' })
  const children = spans.filter(({ parentSpanId }) => parentSpanId === turn.spanId)
  t.ok(children.every(({ traceId }) => traceId === turn.traceId))
  t.strictSame(children.map(({ name }) => name).sort(), ['chat m', 'chat m', 'execute_tool write_todos'])
  t.match(attributesOf(children.find(({ name }) => name.startsWith('chat'))!), {
    'gen_ai.provider.name': 'openai-compatible',
    'svc.outcome': 'ok',
  })
  const live = spans.filter(({ name }) => name === 'GET /health/live')
  t.strictSame(
    live.map(({ parentSpanId }) => parentSpanId),
    ['b7ad6b7169203331', undefined, undefined],
  )
  t.equal(live[0]!.traceId, '0af7651916cd43dd8448eb211c80319c')
  t.match(JSON.stringify(services[0]), /"service\.name".*"svc"/)
  t.notMatch(JSON.stringify(spans), new RegExp(user_id), 'nobody is named')
})

t.test('a collector that does not answer harms nobody', async (t) => {
  const chat = await startChat(t, { env: { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' } })
  const socket = await chat.connect()
  const { end } = await socket.ask({ thread_id: await chat.createThread(), text: 'hello' })
  t.equal(end.type, 'done')
  await chat.server.stop()
})

t.test(
  'without the packages of OpenTelemetry, a configured server says so, and any other says nothing',
  async (t) => {
    const nodeArgs = hidePackages('@opentelemetry/')
    const reason =
      /traces are not sent, because the optional package @opentelemetry\/[\w-]+ is not installed: .*"npm install --include=optional"/
    const home = createHome(t, { database: { url: await createDatabaseUrl(t) } })
    const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://ann:canary@127.0.0.1:1' }
    const check = (env: Record<string, string>, nodeArgs: string[] = []) =>
      spawnCommand(home, ['doctor'], { env: { ...env, SVC_PORT: '0' }, nodeArgs })
    const server = await spawnServer(t, home, [], { env: { ...endpoint, SVC_LOG_LEVEL: 'warn' }, nodeArgs })
    t.equal((await fetch(`${server.url}/api/health/ready`)).status, 200)
    const logged = server
      .output()
      .stderr.split('\n')
      .filter((line) => line.includes('traces are not sent'))
    t.match(
      logged.map((line) => JSON.parse(line)),
      [{ msg: reason, error: undefined }],
    )

    t.match((await check(endpoint, nodeArgs)).stdout, new RegExp(`^FAIL +traces +${reason.source}$`, 'm'))
    t.match((await check({}, nodeArgs)).stdout, /^ok +traces +no collector is set$/m)
    t.match((await check(endpoint)).stdout, /^ok +traces +spans are sent to http:\/\/127\.0\.0\.1:1$/m)
  },
)
