import { writeFile } from 'node:fs/promises'
import { cpus } from 'node:os'
import { parseArgs } from 'node:util'
import { measureBackup } from './backup.ts'
import { measureChannels } from './channels.ts'
import { measureCommands } from './commands.ts'
import { measureConnectors } from './connectors.ts'
import { measureConsole } from './console.ts'
import { measureDocuments } from './documents.ts'
import { type Figure, formatTable, type Row } from './figure.ts'
import { measureFirstToken } from './first-token.ts'
import { measureHistory } from './history.ts'
import { measureIdle } from './idle.ts'
import { measureInstall } from './install.ts'
import { measureKnowledge } from './knowledge.ts'
import { measureLogins } from './logins.ts'
import { measureLongThread } from './long-thread.ts'
import { measureMainText } from './main-text.ts'
import { measureMemories } from './memories.ts'
import { measureIdleMemory, measureSocketMemory } from './memory.ts'
import { measureModelCalls } from './model-calls.ts'
import { measureNeighbor } from './neighbor.ts'
import { measureOpenAIApi } from './openai-api.ts'
import { measurePaced } from './paced.ts'
import { measureReady } from './ready.ts'
import { measureRequests } from './requests.ts'
import { measureScale } from './scale.ts'
import { measureSearch } from './search.ts'
import { measureSharing } from './sharing.ts'
import { measureSoak } from './soak.ts'
import { createStage, type Stage } from './stage.ts'
import { measureTurns } from './turns.ts'
import { measureUploads } from './uploads.ts'

const figures: Record<string, Figure> = {
  ready: measureReady,
  'idle-memory': measureIdleMemory,
  'socket-memory': measureSocketMemory,
  turns: measureTurns,
  commands: measureCommands,
  paced: measurePaced,
  idle: measureIdle,
  'openai-api': measureOpenAIApi,
  requests: measureRequests,
  'first-token': measureFirstToken,
  history: measureHistory,
  'long-thread': measureLongThread,
  logins: measureLogins,
  'model-calls': measureModelCalls,
  channels: measureChannels,
  connectors: measureConnectors,
  knowledge: measureKnowledge,
  documents: measureDocuments,
  'main-text': measureMainText,
  uploads: measureUploads,
  neighbor: measureNeighbor,
  sharing: measureSharing,
  memories: measureMemories,
  console: measureConsole,
  backup: measureBackup,
  soak: measureSoak,
}

/** Figures that take minutes, which run only if they are named. */
const costly: Record<string, Figure> = { install: measureInstall, scale: measureScale, search: measureSearch }
const all = { ...figures, ...costly }

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { json: { type: 'string' }, 'first-token-ms': { type: 'string', default: '0' } },
})
const names = positionals.length > 0 ? positionals : Object.keys(figures)
const unknown = names.filter((name) => !Object.hasOwn(all, name))
if (unknown.length > 0) {
  console.error(`unknown figure: ${unknown.join(', ')}; choose from ${Object.keys(all).join(', ')}`)
  process.exit(2)
}

const rows: (Row & { figure: string })[] = []
const failures: { figure: string; message: string }[] = []
let stage: Stage | undefined
let abandoned = false
async function abandon(reason: unknown): Promise<void> {
  abandoned = true
  console.error(reason)
  await stage?.close()
  process.exit(1)
}
for (const event of ['SIGINT', 'SIGTERM', 'SIGHUP', 'uncaughtException']) process.once(event, abandon)

for (const name of names) {
  if (abandoned) break
  console.error(`measuring ${name}`)
  stage = createStage({ firstTokenMs: Number(values['first-token-ms']) })
  try {
    for (const row of await all[name]!(stage)) rows.push({ figure: name, ...row })
  } catch (error) {
    failures.push({ figure: name, message: error instanceof Error ? error.message : String(error) })
  } finally {
    await stage.close()
  }
}

if (rows.length > 0) console.log(formatTable(rows))
for (const { figure, message } of failures) console.error(`${figure} could not be measured: ${message}`)
if (values.json) {
  const [cpu] = cpus()
  const machine = { node: process.version, cpu: cpu?.model, cores: cpus().length }
  await writeFile(
    values.json,
    `${JSON.stringify({ measured_at: new Date(), machine, rows, failures }, null, 2)}\n`,
  )
}
if (failures.length > 0) process.exitCode = 1
