import { execFile, spawnSync } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { givePress, punch, startPress } from '../plugins/conversations/approval-calls.ts'
import t, { type Test } from '../run/file-test.ts'
import { onlyLong } from '../run/tier.ts'
import { ADMIN } from '../support/server.ts'

const run = promisify(execFile)
const MODULES = fileURLToPath(new URL('../../../tests/node_modules', import.meta.url))
const GENERATOR = process.env.SVC_TEST_OPENAPI_GENERATOR ?? 'openapi-generator-cli'
const PYTHON = process.env.SVC_TEST_PYTHON ?? 'python3'
const [generator, ...generatorArgs] = GENERATOR.endsWith('.jar') ? ['java', '-jar', GENERATOR] : [GENERATOR]
const works = (command: string, args: string[]) => spawnSync(command, args).status === 0

const PYTHON_CLIENT = process.env.SVC_TEST_OPENAPI_PYTHON_CLIENT ?? 'openapi-python-client'

/** The reasons to skip tests, or false. */
const noPythonClient =
  onlyLong ||
  (works(PYTHON_CLIENT, ['--version'])
    ? false
    : `${PYTHON_CLIENT} does not run here: install it, or set SVC_TEST_OPENAPI_PYTHON_CLIENT`)
const noGenerator =
  onlyLong ||
  (works(generator, [...generatorArgs, 'version'])
    ? false
    : `${GENERATOR} does not run here: install openapi-generator 7.19 or newer, or set SVC_TEST_OPENAPI_GENERATOR`)
const noPython =
  noGenerator ||
  (works(PYTHON, ['-c', 'import dateutil, pydantic, typing_extensions, urllib3'])
    ? false
    : `${PYTHON} lacks what generated clients need: pydantic, python-dateutil, typing-extensions, urllib3`)

/** The programs sign in, and either create an agent, a thread and a file, or resume a paused turn of the thread. */
const FETCH_PROGRAM = `
import createClient from 'openapi-fetch'
import type { components, paths } from './api.js'
const { URL: url = '', USERNAME: username = '', PASSWORD: password = '', AGENT: id = '', THREAD: thread_id = '' } = process.env
const api = createClient<paths>({ baseUrl: url })
const login = await api.POST('/auth/login', { body: { username, password } })
api.use({ onRequest: ({ request }) => request.headers.set('authorization', 'Bearer ' + login.data!.access_token) })
if (process.argv[2] === 'begin') {
  const { data: agent } = await api.POST('/agents', { body: { name: 'openapi-typescript' } })
  const path = { id: agent!.id }
  const { data: thread } = await api.POST('/agents/{id}/threads', { params: { path } })
  const form = new FormData()
  form.append('file', new Blob(['some text']), 'notes.txt')
  const { data: upload } = await api.POST('/agents/{id}/upload', {
    params: { path },
    body: form as never,
    bodySerializer: (body: unknown) => body as FormData,
  })
  console.log(JSON.stringify({ agent_id: agent!.id, thread_id: thread!.thread_id, path: upload!.path }))
} else {
  const path = { id }
  const { data: stream } = await api.POST('/agents/{id}/chat/hitl/resume', {
    params: { path },
    body: { thread_id, decisions: [{ type: 'approve' }] },
    parseAs: 'text',
  })
  const frames = (stream as unknown as string)
    .split('\\n')
    .flatMap((line): components['schemas']['TurnFrame'][] => (line.startsWith('data: ') ? [JSON.parse(line.slice(6))] : []))
  const { data: history } = await api.GET('/agents/{id}/threads/{thread_id}/history', {
    params: { path: { ...path, thread_id } },
  })
  console.log(JSON.stringify({ last: frames.at(-1)!.type, roles: history!.messages.map(({ role }) => role) }))
}
`

const GENERATED_PROGRAM = `
import { AgentsApi, ChatApi, Configuration, FilesApi, SigningInApi, TurnFrameFromJSON } from './client/index.js'
const { URL: basePath = '', USERNAME: username = '', PASSWORD: password = '', AGENT: id = '', THREAD: threadId = '' } = process.env
const login = await new SigningInApi(new Configuration({ basePath })).logIn({ logInBody: { username, password } })
const configuration = new Configuration({ basePath, accessToken: login.accessToken })
const chat = new ChatApi(configuration)
if (process.argv[2] === 'begin') {
  const agent = await new AgentsApi(configuration).createAgent({ createAgentBody: { name: 'typescript-fetch' } })
  const thread = await chat.createThread({ id: agent.id })
  const file = new File(['some text'], 'notes.txt')
  const upload = await new FilesApi(configuration).uploadFile({ id: agent.id, file })
  console.log(JSON.stringify({ agent_id: agent.id, thread_id: thread.threadId, path: upload.path }))
} else {
  const { raw } = await chat.resumeTurnRaw({ id, resumeTurnBody: { threadId, decisions: [{ type: 'approve' }] } })
  const frames = (await raw.text())
    .split('\\n')
    .flatMap((line) => (line.startsWith('data: ') ? [TurnFrameFromJSON(JSON.parse(line.slice(6)))] : []))
  const history = await chat.getHistory({ id, threadId })
  console.log(JSON.stringify({ last: frames.at(-1)!.type, roles: history.messages.map(({ role }) => role) }))
}
`

const PYTHON_PROGRAM = `
import json, os, sys
import svc_client as svc
env = os.environ
configuration = svc.Configuration(host=env["URL"])
client = svc.ApiClient(configuration)
login = svc.SigningInApi(client).log_in(svc.LogInBody(username=env["USERNAME"], password=env["PASSWORD"]))
configuration.access_token = login.access_token
chat = svc.ChatApi(client)
if sys.argv[1] == "begin":
    agent = svc.AgentsApi(client).create_agent(svc.CreateAgentBody(name="python"))
    thread = chat.create_thread(agent.id)
    upload = svc.FilesApi(client).upload_file(agent.id, ("notes.txt", b"some text"))
    print(json.dumps({"agent_id": agent.id, "thread_id": thread.thread_id, "path": upload.path}))
else:
    decisions = [svc.Decision(svc.ApproveDecision(type="approve"))]
    body = svc.ResumeTurnBody(thread_id=env["THREAD"], decisions=decisions)
    stream = chat.resume_turn_without_preload_content(env["AGENT"], body).read().decode()
    frames = [svc.TurnFrame.from_json(line[6:]) for line in stream.splitlines() if line.startswith("data: ")]
    history = chat.get_history(env["AGENT"], env["THREAD"])
    print(json.dumps({"last": frames[-1].actual_instance.type, "roles": [message.role for message in history.messages]}))
`

const chat = onlyLong ? undefined : await startPress(t)

/** Creates a folder with the document of the server. */
async function createFolder(t: Test) {
  const folder = t.testdir({})
  const document = await fetch(`${chat!.server.url}/api/openapi.json`)
  writeFileSync(join(folder, 'openapi.json'), await document.text())
  return folder
}

/** Runs a program in both of its stages, with a turn that pauses between them. */
async function checkProgram(t: Test, folder: string, command: string, args: string[]): Promise<void> {
  const { server, pauseTurn } = chat!
  const { username: USERNAME, password: PASSWORD } = ADMIN
  const stage = async (name: string, more: Record<string, string> = {}) => {
    const env = { ...process.env, URL: `${server.url}/api`, USERNAME, PASSWORD, ...more }
    const { stdout } = await run(command, [...args, name], { cwd: folder, env })
    return JSON.parse(stdout)
  }
  const begun = await stage('begin')
  t.match(begun, { agent_id: /\S/, thread_id: /^thr_/, path: /^inbound\// })
  const { agent_id, thread_id } = begun
  await givePress(chat!, agent_id)
  await pauseTurn([{ text: 'I punch.', toolCalls: [punch('call_a', 'generated')] }, { text: 'Punched.' }], {
    agent_id,
    thread_id,
  })
  t.same(await stage('resume', { AGENT: agent_id, THREAD: thread_id }), {
    last: 'done',
    roles: ['user', 'assistant', 'tool', 'assistant'],
  })
}

/** Compiles the TypeScript of a folder. */
async function compile(folder: string): Promise<void> {
  symlinkSync(MODULES, join(folder, 'node_modules'))
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  const options = {
    strict: true,
    module: 'nodenext',
    target: 'es2022',
    lib: ['es2022', 'dom'],
    types: ['node'],
    outDir: 'out',
  }
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ compilerOptions: { ...options, skipLibCheck: true } }),
  )
  await run(process.execPath, [join(MODULES, 'typescript/bin/tsc'), '-p', folder], { cwd: folder }).catch(
    ({ stdout }) => {
      throw new Error(stdout)
    },
  )
}

const generate = (folder: string, language: string, output: string, properties: string) =>
  run(
    generator,
    [
      ...generatorArgs,
      'generate',
      '-g',
      language,
      '-i',
      'openapi.json',
      '-o',
      output,
      `--additional-properties=${properties}`,
    ],
    { cwd: folder, maxBuffer: 2 ** 26 },
  )

t.test('A client of openapi-typescript works', { skip: onlyLong }, async (t) => {
  const folder = await createFolder(t)
  const cli = join(MODULES, 'openapi-typescript/bin/cli.js')
  await run(process.execPath, [cli, 'openapi.json', '-o', 'api.ts'], { cwd: folder })
  writeFileSync(join(folder, 'program.ts'), FETCH_PROGRAM)
  await compile(folder)
  await checkProgram(t, folder, process.execPath, ['out/program.js'])
})

t.test('A client of typescript-fetch works', { skip: noGenerator }, async (t) => {
  const folder = await createFolder(t)
  await generate(folder, 'typescript-fetch', 'client', 'importFileExtension=.js')
  writeFileSync(join(folder, 'program.ts'), GENERATED_PROGRAM)
  await compile(folder)
  await checkProgram(t, folder, process.execPath, ['out/program.js'])
})

t.test('A client of python works', { skip: noPython }, async (t) => {
  const folder = await createFolder(t)
  mkdirSync(join(folder, 'client'))
  await generate(folder, 'python', 'client', 'packageName=svc_client')
  writeFileSync(join(folder, 'client/program.py'), PYTHON_PROGRAM)
  await checkProgram(t, folder, PYTHON, ['client/program.py'])
})

t.test('openapi-python-client reads the whole document', { skip: noPythonClient }, async (t) => {
  const folder = await createFolder(t)
  const args = ['generate', '--path', 'openapi.json', '--output-path', 'client', '--meta', 'none']
  const { stdout } = await run(PYTHON_CLIENT, args, { cwd: folder, maxBuffer: 2 ** 26 })
  t.notMatch(stdout, /WARNING|ERROR|Unable|removal of/)
})
