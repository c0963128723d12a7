import { askOnTerminal, type Command, type CommandInput, ConfigError } from '#plugin-api'
import { kindOf } from './listed-models.ts'
import type { Cradle } from './manifest.ts'
import { assertNewProvider, assertWorking, modelsToEnter } from './provider-commands.ts'

/** The kind that is no real choice for a server. */
const DEMONSTRATION = 'demo'
const MOST_SHOWN = 20

/** `svc setup`: asks for a provider and its key, tests it, and makes a model of it active. */
export const setupCommand: Command<Cradle> = {
  name: 'setup',
  summary: 'Connect a model provider and choose the default model, interactively',
  audit: 'provider.create',
  async run(input, cradle) {
    const { stdin, stdout } = input
    if (!stdin.isTTY) throw new ConfigError('svc setup needs a terminal; use "svc provider add" without one')
    const { providers, models } = cradle
    const kinds = providers.kinds('en').filter(({ kind }) => kind !== DEMONSTRATION)
    const chosen = await choose(input, 'Provider', kinds, ({ kind, label }) => [kind, label])
    const { kind, default_base_url } = chosen
    const hint = default_base_url === null ? '' : ` [${default_base_url}]`
    const base_url = await askOnTerminal(input, `Address${hint}: `)
    const api_key = await askOnTerminal(input, 'API key (leave empty if none is needed): ', {
      isSecret: true,
    })
    const usedNames = (await providers.list(null, { limit: 200 }, 'en')).rows.map(({ name }) => name)
    const free = [kind, ...Array.from({ length: 100 }, (_, index) => `${kind}-${index + 2}`)].find(
      (name) => !usedNames.includes(name),
    )!
    const name = (await askOnTerminal(input, `Name [${free}]: `)) || free
    const body = assertNewProvider({
      name,
      kind,
      ...(base_url && { base_url }),
      ...(api_key && { api_key }),
    })
    const draft = await providers.draft(null, body)
    const { models: listed } = await cradle.providerProbe.probe(draft, {}, 'en')
    const offered = listed.filter((model) => kindOf(model) === 'chat')
    const model =
      offered.length > 0
        ? (await choose(input, 'Model', offered, ({ id, name }) => [id, name ?? id], { isOpen: true })).id
        : await askOnTerminal(input, 'Model ID: ')
    if (!model) throw new ConfigError('no model was chosen')
    stdout.write(`Testing ${model} …\n`)
    const { latency_ms } = await assertWorking(draft, model, cradle)
    await providers.create(null, { ...body, models: modelsToEnter(model, listed) })
    await models.activate(`${name}:${model}`)
    await cradle.modelCatalog.close()
    stdout.write(`${model} answered in ${latency_ms} ms. ${name}:${model} is now the default model.\n`)
    return 0
  },
}

/** Asks for one of some things, by its number or its id; an open question takes other ids too. */
async function choose<Thing extends { id?: string; kind?: string }>(
  input: CommandInput,
  label: string,
  things: readonly Thing[],
  describe: (thing: Thing) => [id: string, label: string],
  { isOpen = false } = {},
): Promise<Thing & { id: string }> {
  const shown = things.slice(0, MOST_SHOWN)
  for (const [index, thing] of shown.entries()) {
    const [id, name] = describe(thing)
    input.stderr.write(`${String(index + 1).padStart(3)}  ${id}${name === id ? '' : `  ${name}`}\n`)
  }
  if (shown.length < things.length) input.stderr.write(`     … and ${things.length - shown.length} more\n`)
  const answer = await askOnTerminal(input, `${label} [1]: `)
  const chosen = things.find((thing) => describe(thing)[0] === answer) ?? shown[Number(answer || 1) - 1]
  if (chosen) return { ...chosen, id: describe(chosen)[0] }
  if (isOpen) return { ...things[0]!, id: answer }
  throw new ConfigError(`"${answer}" is not in the list`)
}
