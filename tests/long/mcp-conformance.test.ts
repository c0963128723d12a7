import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, request as sendRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import t from '../run/file-test.ts'
import { isLong, onlyLong } from '../run/tier.ts'
import { startChat } from '../support/chat.ts'
import { SSO_PUBLIC_URL } from '../support/oidc-client.ts'

/** The official suite, which needs a later Node.js than this project. */
const SUITE = ['--yes', '-p', 'node@24', '-p', '@modelcontextprotocol/conformance@0.1.16']
const CLIENT = fileURLToPath(new URL('../support/mcp-conformance-client.js', import.meta.url))
const SCENARIO_MS = 60_000
/** The most attempts of a scenario that measures times. */
const TIMED_ATTEMPTS = 3

/** The scenarios for clients that do not apply, with the reason. */
const CLIENT_EXCEPTIONS: Record<string, string> = {
  'auth/client-credentials-jwt': 'an extension: connectors act for a person, never for the server alone',
  'auth/client-credentials-basic': 'an extension: connectors act for a person, never for the server alone',
  'auth/2025-03-26-oauth-metadata-backcompat':
    'its metadata names another issuer than its address, which RFC 8414 (3.3) has clients refuse',
  'auth/cross-app-access-complete-flow': 'an extension: tokens of another service are not exchanged',
}

/**
 * The scenarios for servers that apply. `dns-rebinding-protection` is for servers without authentication; all others
 * call tools, prompts and resources that only a server for these tests has.
 */
const SERVER_SCENARIOS = ['server-initialize', 'ping', 'tools-list']

/** Returns the Node.js and the program of the suite; undefined if they cannot be had. */
const findSuite = async () => {
  const finding = spawn('npx', [...SUITE, '-c', 'command -v node && command -v conformance'])
  const [paths] = await Promise.all([text(finding.stdout), once(finding, 'close')])
  const [node, program] = paths.trim().split('\n')
  return node && program ? { node, program } : undefined
}

const suite = isLong ? await findSuite() : undefined
const isSkipped = onlyLong || (!suite && 'the suite cannot be had here')

/** Runs a command of the suite. */
async function run(args: readonly string[], env: Record<string, string> = {}) {
  const child = spawn(suite!.node, [suite!.program, ...args], { env: { ...process.env, ...env } })
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ])
  return { code, stdout, stderr }
}

const listScenarios = async (kind: '--client' | '--server') => {
  const { stdout } = await run(['list', kind])
  return [...stdout.matchAll(/^ {2}- (\S+)/gm)].map(([, name]) => name!)
}

const startPlatform = async () => {
  const chat = await startChat(t, {
    config: {
      http: { public_url: SSO_PUBLIC_URL },
      plugins: { connectors: { allow_hosts: ['127.0.0.1', 'localhost'], connect_seconds: 30 } },
    },
  })
  const { fake, server } = chat
  fake.script(({ body: { messages, tools = [] } }) => {
    if (messages.at(-1)!.role !== 'user') return { text: 'done' }
    const toolNames = tools.map((tool) => tool.function.name as string).filter((name) => name.includes('__'))
    // A server without tools has none to use, and an empty answer is an error.
    if (toolNames.length === 0) return { text: 'done' }
    return {
      toolCalls: toolNames.map((name) => ({
        name,
        arguments: name.endsWith('add_numbers') ? { a: 5, b: 3 } : {},
      })),
    }
  })
  return server
}

t.test('The official suite finds nothing wrong with connectors', { skip: isSkipped }, async (t) => {
  const scenarios = await listScenarios('--client')
  const server = await startPlatform()
  const env = { SVC_URL: server.url, SVC_TOKEN: server.admin.token }
  for (const scenario of scenarios.filter((name) => !(name in CLIENT_EXCEPTIONS))) {
    const command = `${process.execPath} ${CLIENT}`
    const args = ['client', '--command', command, '--scenario', scenario, '--timeout', String(SCENARIO_MS)]
    let result = await run(args, env)
    for (let tries = 1; scenario === 'sse-retry' && result.code !== 0 && tries < TIMED_ATTEMPTS; tries += 1)
      result = await run(args, env)
    t.equal(result.code, 0, scenario, { stderr: result.stderr.slice(-4000) })
  }
  const stale = Object.keys(CLIENT_EXCEPTIONS).filter((name) => !scenarios.includes(name))
  t.strictSame(stale, [], 'all exceptions are scenarios of the suite')
})

t.test(
  'The official suite finds nothing wrong with the server for MCP clients',
  { skip: isSkipped },
  async (t) => {
    const scenarios = await listScenarios('--server')
    const server = await startPlatform()
    // The suite sends no credentials.
    const relay = createServer((incoming, outgoing) => {
      const headers = { ...incoming.headers, authorization: `Bearer ${server.admin.token}` }
      const address = new URL('/api/mcp', server.url)
      const forwarded = sendRequest(address, { method: incoming.method, headers }, (reply) => {
        outgoing.writeHead(reply.statusCode!, reply.headers)
        reply.pipe(outgoing)
      })
      forwarded.on('error', () => outgoing.destroy())
      incoming.pipe(forwarded)
    })
    relay.listen(0, '127.0.0.1')
    await once(relay, 'listening')
    t.teardown(() => relay.close())
    const url = `http://localhost:${(relay.address() as AddressInfo).port}/mcp`
    for (const scenario of SERVER_SCENARIOS) {
      t.ok(scenarios.includes(scenario))
      const { code, stdout, stderr } = await run(['server', '--url', url, '--scenario', scenario])
      t.equal(code, 0, scenario, { output: `${stdout}${stderr}`.slice(-4000) })
    }
  },
)
