import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import type { Answer } from '../../plugin-api/testing/fake-openai.ts'
import t, { type Test } from '../run/file-test.ts'
import { onlyLong } from '../run/tier.ts'
import { startChat } from '../support/chat.ts'

const SCRIPTS = fileURLToPath(new URL('../../../tests/long/openai-clients', import.meta.url))
const PYTHON = process.env.SVC_TEST_PYTHON ?? 'python3'
const OWN_MODULES = fileURLToPath(new URL('../../../tests/node_modules', import.meta.url))
/** The folder of packages that are too large for the tools of the tests. */
const MORE_MODULES = process.env.SVC_TEST_NODE_MODULES ?? OWN_MODULES

const FIND_PACKAGE = 'import importlib.util, sys; sys.exit(importlib.util.find_spec(sys.argv[1]) is None)'

/** Returns the reason to skip a script of Python that imports this package, or false. */
function lacksPackage(name: string): string | false {
  if (onlyLong) return onlyLong
  const { status } = spawnSync(PYTHON, ['-c', FIND_PACKAGE, name.replace('-', '_')])
  return status === 0 ? false : `pip install ${name}, or set SVC_TEST_PYTHON to a Python that has it`
}

/** Returns the reason to skip a script of Node.js that imports these packages, or false. */
function lacksModules(names: string[]): string | false {
  if (onlyLong) return onlyLong
  if (names.every((name) => existsSync(join(MORE_MODULES, name, 'package.json')))) return false
  return `npm install ${names.join(' ')} in a folder, and set SVC_TEST_NODE_MODULES to its node_modules`
}

/** The arguments with which the model calls a tool that a script offers. */
const ARGUMENTS: Record<string, object> = {
  get_weather: { city: 'Oslo' },
  CityWeather: { city: 'Oslo', degrees: 12 },
}

/** Answers like a model that asks for the weather with the tools of a script, and writes JSON if it must. */
const answer: Answer = ({ body }) => {
  const { messages, tools = [] } = body
  const choice = body.tool_choice as string | { function?: { name: string } } | undefined
  const format = body.response_format as { type: string } | undefined
  const last = messages.at(-1)!
  const question = JSON.stringify(last.content)
  const offered = tools.map(({ function: { name } }) => name).find((name) => name in ARGUMENTS)
  const chosen =
    typeof choice === 'object' ? choice.function?.name : choice === 'required' ? offered : undefined
  const isAsked = last.role === 'user' && question.includes('weather')
  const called = last.role === 'tool' ? undefined : (chosen ?? (isAsked ? offered : undefined))
  if (called) {
    const call = { name: called, arguments: ARGUMENTS[called] }
    return { toolCalls: question.includes('two cities') ? [call, call] : [call] }
  }
  if (format?.type.startsWith('json')) return { text: JSON.stringify(ARGUMENTS.CityWeather) }
  return { text: last.role === 'tool' ? 'It is sunny.' : 'Hello there.' }
}

const chat = onlyLong ? undefined : await startChat(t)
chat?.fake.script(answer)

/** Runs a script of a client with a key for chats, and reports each of its tests as one of this file. */
async function runScript(t: Test, command: string, args: string[], modules = OWN_MODULES): Promise<void> {
  const { server } = chat!
  const key = { name: args.at(-1), scopes: ['chat'] }
  const { body } = await server.request('POST', '/auth/api-keys', { body: key })
  const folder = t.testdir({})
  cpSync(SCRIPTS, folder, { recursive: true })
  symlinkSync(modules, join(folder, 'node_modules'))
  const child = spawn(command, args, {
    cwd: folder,
    env: {
      ...process.env,
      BASE: `${server.url}/api/v1`,
      TOKEN: body.key,
      // Otherwise LiteLLM downloads its list of prices.
      LITELLM_LOCAL_MODEL_COST_MAP: 'True',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  t.teardown(() => child.kill('SIGKILL'))
  const ended = once(child, 'close')
  const errors = text(child.stderr)
  let tests = 0
  for await (const line of createInterface({ input: child.stdout })) {
    const { title, error }: { title: string; error?: string | null } = JSON.parse(line)
    tests++
    await t.test(title, async (t) => {
      t.notOk(error, 'the test passes in the script', { error })
    })
  }
  const [code] = await ended
  t.ok(tests > 0, 'the script has tests')
  t.equal(code, 0, 'no test of the script failed', { output: await errors })
}

const runPython = (t: Test, script: string) => runScript(t, PYTHON, [script])
const runModule = (t: Test, script: string, modules?: string) =>
  runScript(t, process.execPath, ['--test-reporter=./reporter.mjs', script], modules)

t.test('The npm package openai', { skip: onlyLong }, (t) => runModule(t, 'use-openai.mjs'))

const noAISDK = lacksModules(['ai', '@ai-sdk/openai', '@ai-sdk/openai-compatible', 'zod'])
t.test('The AI SDK', { skip: noAISDK }, (t) => runModule(t, 'use-ai-sdk.mjs', MORE_MODULES))

const noLangChain = lacksModules(['@langchain/core', '@langchain/openai', 'zod'])
t.test('LangChain in Node.js', { skip: noLangChain }, (t) => runModule(t, 'use-langchain.mjs', MORE_MODULES))

t.test('The Python package openai', { skip: lacksPackage('openai') }, (t) => runPython(t, 'use_openai.py'))

t.test('LangChain in Python', { skip: lacksPackage('langchain-openai') }, (t) =>
  runPython(t, 'use_langchain.py'),
)

t.test('LiteLLM', { skip: lacksPackage('litellm') }, (t) => runPython(t, 'use_litellm.py'))
