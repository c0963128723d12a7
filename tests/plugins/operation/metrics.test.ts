import { join } from 'node:path'
import { parse } from 'yaml'
import t from '../../run/file-test.ts'
import { createEmptyHome } from '../../support/backups.ts'
import { startChat } from '../../support/chat.ts'
import { runCommand } from '../../support/kernel.ts'
import { readDocument } from '../../support/readme.ts'

const TOKEN = 'a-token-for-prometheus'
const chat = await startChat(t, { env: { SVC_METRICS_TOKEN: TOKEN } })
const { server, fake } = chat

/** Reads the metrics as a map of `name{labels}` to values. */
async function scrape(token = TOKEN) {
  const response = await fetch(`${server.url}/api/metrics`, { headers: { authorization: `Bearer ${token}` } })
  const text = await response.text()
  const samples = text.split('\n').filter((line) => line && !line.startsWith('#'))
  const values = new Map(
    samples.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.split(' ').at(-1))]),
  )
  return { status: response.status, headers: response.headers, text, values }
}

t.test('metrics are for administrators and for the token of Prometheus', async (t) => {
  const { status, headers, text } = await scrape()
  t.equal(status, 200)
  t.match(headers.get('content-type'), /^text\/plain; version=0\.0\.4/)
  t.match(text, /^# TYPE svc_http_requests_total counter$/m)
  t.equal((await scrape(server.admin.token)).status, 200)
  t.equal((await scrape(`${TOKEN}s`)).status, 401)
  const { body: ann } = await server.request('POST', '/users', {
    body: { username: 'ann', password: 'a-good-password-1' },
  })
  t.equal((await scrape(await server.login('ann', 'a-good-password-1'))).status, 403)
  t.notMatch((await scrape()).text, new RegExp(`${ann.id}|ann\\b`), 'nobody is named')
  const elsewhere = await fetch(`${server.url}/api/admin/overview`, {
    headers: { authorization: `Bearer ${TOKEN}` },
  })
  t.equal(elsewhere.status, 401, 'the token opens nothing else')
  for (const name of text.matchAll(/^# TYPE (\S+)/gm)) t.match(name[1], /^svc_/)
})

t.test('requests are counted by route template, whatever the path', async (t) => {
  for (const id of ['one', 'two', 'three']) await server.request('GET', `/agents/${id}`)
  await server.request('GET', '/no/such/path')
  const { values, text } = await scrape()
  t.equal(
    values.get('svc_http_requests_total{plugin="agents",method="GET",route="/agents/:id",status="404"}'),
    3,
  )
  t.equal(values.get('svc_http_requests_total{plugin="none",method="GET",route="none",status="404"}'), 1)
  t.ok(values.get('svc_http_request_duration_seconds_count{plugin="agents"}')! >= 3)
  t.notMatch(text, /agents\/one|such/)
})

t.test('turns, model calls and tool calls are counted when they end', async (t) => {
  const socket = await chat.connect()
  const usage = (input: number, output: number) => ({ prompt_tokens: input, completion_tokens: output })
  fake.next(
    {
      toolCalls: [
        { id: '1', name: 'write_todos', arguments: { todos: [] } },
        { id: '2', name: 'invented_7', arguments: {} },
      ],
      usage: usage(10, 2),
    } as never,
    { text: 'done', usage: usage(20, 3) } as never,
  )
  await socket.ask({ content: [{ type: 'text', text: 'plan' }], thread_id: await chat.createThread() })
  fake.next({ status: 400 } as never)
  await socket.ask({ content: [{ type: 'text', text: 'fail' }], thread_id: await chat.createThread() })
  const { values, text } = await scrape()
  const of = (sample: string) => values.get(sample)
  t.equal(of('svc_turns_started_total'), 2)
  t.equal(of('svc_turns_total{outcome="end",code=""}'), 1)
  t.match(text, /svc_turns_total\{outcome="failed",code="[A-Z_]+"\} 1/)
  t.equal(of('svc_turn_duration_seconds_count{outcome="end"}'), 1)
  const calls = 'svc_model_calls_total{provider="fake",kind="openai-compatible",purpose="turn",outcome='
  t.equal(of(`${calls}"ok"}`), 2, text)
  t.equal(of(`${calls}"failed"}`), 1)
  t.equal(of('svc_model_tokens_total{provider="fake",direction="input"}'), 30)
  t.equal(of('svc_model_tokens_total{provider="fake",direction="output"}'), 5)
  t.equal(of('svc_model_first_part_seconds_count{provider="fake"}'), 2)
  t.equal(of('svc_tool_calls_total{plugin="planning",tool="write_todos",outcome="ok"}'), 1)
  t.equal(of('svc_tool_calls_total{plugin="other",tool="other",outcome="failed"}'), 1)
})

t.test('figures of the moment are read with the metrics', async (t) => {
  const socket = await chat.connect()
  await socket.settle()
  const { values } = await scrape()
  t.ok(values.get('svc_sockets_open')! >= 1)
  for (const name of ['svc_turns_running', 'svc_turns_waiting', 'svc_model_calls_waiting'])
    t.equal(values.get(name), 0, name)
  t.equal(values.get('svc_database_up'), 1)
  t.ok(values.get('svc_database_ping_seconds')! > 0)
  t.equal(values.get('svc_plugin_up{plugin="chat"}'), 1)
  t.ok(values.has('svc_nodejs_eventloop_lag_p99_seconds'))
  t.ok(values.get('svc_process_resident_memory_bytes')! > 0)
})

t.test('the age of the last backup is shown once there was one', async (t) => {
  const age = 'svc_last_backup_age_seconds'
  t.notOk((await scrape()).values.has(age))
  const folder = createEmptyHome(t)
  const env = { SVC_BACKUP_PASSPHRASE: 'correct horse battery' }
  const failed = await runCommand(server.home, ['backup', join(folder, 'a.tar')], {
    env: { SVC_BACKUP_PASSPHRASE: 'short' },
  })
  t.equal(failed.code, 1)
  t.notOk((await scrape()).values.has(age), 'a backup that fails does not count')
  t.match(await runCommand(server.home, ['backup', join(folder, 'a.tar')], { env }), { code: 0 })
  t.ok((await scrape()).values.get(age)! < 600)
  const day_ago = Math.floor(Date.now() / 1000) - 86_400
  await server.db.collection('last_backup').updateOne({}, { $set: { ended_at: day_ago } })
  t.ok((await scrape()).values.get(age)! >= 86_400)
})

t.test('the dashboard and the alerts name metrics that exist', async (t) => {
  const { text } = await scrape()
  const existing = new Set([...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name!))
  const dashboard = JSON.parse(readDocument('deploy/grafana/dashboard.json'))
  const { groups } = parse(readDocument('deploy/prometheus/alerts.yml'))
  const expressions: string[] = [
    ...dashboard.panels.flatMap(({ targets }: { targets: { expr: string }[] }) =>
      targets.map(({ expr }) => expr),
    ),
    ...groups.flatMap(({ rules }: { rules: { expr: string }[] }) => rules.map(({ expr }) => expr)),
  ]
  const named = expressions.flatMap((text) => text.match(/\bsvc_\w+/g) ?? [])
  t.ok(named.length > 30)
  const unknown = named.filter((name) => !existing.has(name.replace(/_(bucket|count|sum)$/, '')))
  t.strictSame(unknown, [])
})
