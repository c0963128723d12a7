import type { SomeCradle } from '../contract/cradle.ts'
import type { Announce, Plugin } from '../contract/plugin.ts'
import { ConfigError } from '../errors.ts'

/** The hooks of a plugin that take their time. */
export type Step = 'start' | 'ready' | 'stop'

const WORDS = { start: 'start', ready: 'get ready', stop: 'stop' }

/** Runs a hook of a plugin, if it has one; throws an error that names the plugin if the hook fails or takes longer than `limitMs`. */
export async function runStep(
  plugin: Plugin,
  name: Step,
  { cradle, announce, limitMs }: { cradle: SomeCradle; announce?: Announce; limitMs: number },
): Promise<void> {
  const hook = plugin[name]
  if (!hook) return
  const abort = new AbortController()
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      const error = new Error(`plugin "${plugin.name}" did not ${WORDS[name]} within ${limitMs} ms`)
      abort.abort(error)
      reject(error)
    }, limitMs)
  })
  try {
    await Promise.race([
      Promise.resolve(hook.call(plugin, cradle, (announce ?? abort.signal) as never)),
      late,
    ])
  } catch (error) {
    const sentence = `plugin "${plugin.name}" failed to ${WORDS[name]}: ${(error as Error).message}`
    throw new (error instanceof ConfigError ? ConfigError : Error)(sentence, { cause: error })
  } finally {
    clearTimeout(timer)
  }
}
