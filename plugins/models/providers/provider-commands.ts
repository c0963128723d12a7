import { readFileSync } from 'node:fs'
import { type Command, ConfigError, deferSchema, JSON_OPTION, printJson, printTable } from '#plugin-api'
import type { Cradle } from './manifest.ts'
import type { NewProvider } from './providers.ts'
import { newProvider } from './schemas.ts'
import type { ProviderDocument } from './types.ts'

const MOST_LISTED = 200

const checkNew = deferSchema<NewProvider>(newProvider, 'json')

/** Throws VALIDATION_FAILED if a body of a command is not one that the API takes. */
export function assertNewProvider(body: NewProvider): NewProvider {
  checkNew(body)
  return body
}

/** Tests a provider that need not be stored; throws a sentence if it does not work. Returns the model that answered. */
export async function assertWorking(
  provider: ProviderDocument,
  model_id: string | undefined,
  { providerProbe }: Pick<Cradle, 'providerProbe'>,
) {
  const result = await providerProbe.probe(provider, model_id === undefined ? {} : { model_id }, 'en')
  if (!result.ok) throw new ConfigError(`the test failed: ${result.detail} (${result.reason})`)
  return result
}

/** Returns the models to store: those that a provider lists itself are not entered. */
export const modelsToEnter = (model: string | undefined, listed: readonly { id: string }[]) =>
  model === undefined || listed.some(({ id }) => id === model) ? [] : [{ id: model }]

const text = (value: string | boolean | undefined) => (typeof value === 'string' ? value : undefined)

function readKey(path: string | undefined): string | undefined {
  if (path === undefined) return undefined
  try {
    return readFileSync(path, 'utf8').trim()
  } catch (error) {
    throw new ConfigError(`the key cannot be read: ${(error as Error).message}`)
  }
}

const add: Command<Cradle> = {
  name: 'provider add',
  summary: 'Add a provider for all accounts',
  arguments: [{ name: 'name', summary: 'a name, used as a prefix of its models', required: true }],
  options: [
    { flags: '--kind <kind>', summary: 'kind of provider, e.g. openai or ollama' },
    { flags: '--base-url <url>', summary: 'base URL, if it differs from the default of its kind' },
    { flags: '--api-key-file <file>', summary: 'file that contains the API key' },
    { flags: '--model <id>', summary: 'model to test and use as the default; otherwise the first' },
    { flags: '--active', summary: 'test it, and if it works, make its model the default' },
    JSON_OPTION,
  ],
  audit: 'provider.create',
  async run({ args, options, stdout }, cradle) {
    const { providers, models, modelCatalog } = cradle
    const [kind, model] = [text(options.kind), text(options.model)]
    if (kind === undefined) {
      const kinds = providers.kinds('en').map((row) => row.kind)
      throw new ConfigError(`--kind is missing: one of ${kinds.join(', ')}`)
    }
    const api_key = readKey(text(options.apiKeyFile))
    const base_url = text(options.baseUrl)
    const body = assertNewProvider({
      name: args[0]!,
      kind,
      ...(base_url !== undefined && { base_url }),
      ...(api_key !== undefined && { api_key }),
      ...(model !== undefined && { models: [{ id: model }] }),
    })
    const tested = options.active
      ? await assertWorking(await providers.draft(null, body), model, cradle)
      : undefined
    if (tested) body.models = modelsToEnter(model, tested.models)
    const provider = await providers.create(null, body)
    const active = tested && `${provider.name}:${tested.model}`
    if (active !== undefined) await models.activate(active)
    await modelCatalog.close()
    if (options.json)
      printJson(stdout, { id: provider._id, name: provider.name, kind, active: active ?? null })
    else
      stdout.write(
        `${provider.name} was added${active === undefined ? '' : `, and ${active} is the default model`}\n`,
      )
    return 0
  },
}

/** Reads the providers of the server. */
const listAll = async ({ providers }: Pick<Cradle, 'providers'>) =>
  (await providers.list(null, { limit: MOST_LISTED }, 'en')).rows

const test: Command<Cradle> = {
  name: 'provider test',
  summary: 'Test a model of a provider',
  arguments: [{ name: 'name', summary: 'name of the provider', required: true }],
  options: [{ flags: '--model <id>', summary: 'model to test' }, JSON_OPTION],
  async run({ args, options, stdout }, cradle) {
    const row = (await listAll(cradle)).find(({ name }) => name === args[0])
    if (!row) throw new ConfigError(`"${args[0]}" is not a provider of this server; run "svc provider list"`)
    const provider = await cradle.providers.find(null, row.id)
    const model_id = text(options.model)
    const result = await cradle.providerProbe.test(provider, model_id === undefined ? {} : { model_id }, 'en')
    if (options.json) printJson(stdout, result)
    else if (result.ok) stdout.write(`${result.model} answered in ${result.latency_ms} ms\n`)
    else stdout.write(`The test failed: ${result.detail} (${result.reason})\n`)
    return result.ok ? 0 : 1
  },
}

const list: Command<Cradle> = {
  name: 'provider list',
  summary: 'List the providers of the server',
  options: [JSON_OPTION],
  async run({ options, stdout }, cradle) {
    const rows = await listAll(cradle)
    const { model } = await cradle.models.active()
    if (options.json) {
      printJson(stdout, rows)
      return 0
    }
    const stateOf = ({ kind, enabled }: (typeof rows)[number]) => {
      if (!cradle.extensions['providers.kinds'].get(kind)) return 'without its kind'
      return enabled ? 'enabled' : 'disabled'
    }
    printTable(stdout, [
      ['name', 'kind', 'address', 'key', 'state', 'default model'],
      ...rows.map((row) => [
        row.name,
        row.kind,
        row.base_url ?? '-',
        row.has_api_key ? 'yes' : 'no',
        stateOf(row),
        model?.startsWith(`${row.name}:`) ? model.slice(row.name.length + 1) : '-',
      ]),
    ])
    return 0
  },
}

/** `svc provider …`: commands for the providers of the server, whether or not it runs. */
export const providerCommands: Command<Cradle>[] = [add, test, list]
