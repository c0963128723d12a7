import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { openChatSocket } from './chat-socket.ts'
import { type Figure, median } from './figure.ts'
import { readCpuMs } from './service.ts'

const toolCount = 200
const turnsAWindow = 60
const rounds = 5

/** Measures the processor time that a connector with 200 tools adds to a turn that calls none of them. */
export const measureConnectors: Figure = async (stage) => {
  const mcp = await startMcp()
  const service = await stage.startService(await stage.createHome())
  const { agentId, call, chatUrl } = await stage.createAccount(service)
  const { id } = await call<{ id: string }>('POST', '/connectors', {
    name: 'large',
    kind: 'mcp',
    config: { url: mcp.url },
  })
  const socket = await openChatSocket(chatUrl)
  const give = (connectors: object[]) => call('PUT', `/agents/${agentId}/connectors`, { connectors })
  const measure = async () => {
    // Choices are remembered for a second.
    await new Promise((resolve) => setTimeout(resolve, 1100))
    await socket.turn('Hello.')
    const startCpu = await readCpuMs(service.pid)
    for (let turn = 0; turn < turnsAWindow; turn++) await socket.turn('Hello.')
    return ((await readCpuMs(service.pid)) - startCpu) / turnsAWindow
  }
  await measure()
  const without: number[] = []
  const with200: number[] = []
  for (let round = 0; round < rounds; round++) {
    await give([])
    without.push(await measure())
    await give([{ id }])
    with200.push(await measure())
  }
  mcp.close()
  const added = median(with200) - median(without)
  const note = `median of ${rounds} windows of ${turnsAWindow} turns`
  return [
    { measure: 'no connector, CPU a turn', value: median(without), unit: 'ms', note },
    { measure: `${toolCount} tools, CPU a turn`, value: median(with200), unit: 'ms', note },
    { measure: `${toolCount} tools, added`, value: added, unit: 'ms', note: 'aim: at most 3' },
  ]
}

/** Makes tools with schemas of the usual size. */
function makeTools(): object[] {
  const property = (n: number) => [
    `field_${n}`,
    { type: 'string', description: `The value of the field ${n}` },
  ]
  const properties = Object.fromEntries(Array.from({ length: 6 }, (_, n) => property(n)))
  return Array.from({ length: toolCount }, (_, n) => ({
    name: `tool_${n}`,
    description: `Reads the records of the kind ${n} that match all given fields, newest first.`,
    inputSchema: { type: 'object', properties, required: ['field_0'] },
    annotations: { readOnlyHint: true },
  }))
}

/** Starts a server with tools. */
export async function startMcp(tools = makeTools()) {
  const results: Record<string, object> = {
    initialize: {
      protocolVersion: '2025-06-18',
      capabilities: { tools: {} },
      serverInfo: { name: 'bench', version: '1' },
    },
    'tools/list': { tools },
  }
  const http = createServer(async (request, response) => {
    if (request.method !== 'POST') return void response.writeHead(405).end()
    const { id, method } = (await json(request)) as { id?: number; method: string }
    const result = results[method]
    if (id === undefined) return void response.writeHead(202).end()
    const error = { code: -32601, message: 'unknown method' }
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ jsonrpc: '2.0', id, ...(result ? { result } : { error }) }))
  })
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  const { port } = http.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}/mcp`, close: () => http.close() }
}
