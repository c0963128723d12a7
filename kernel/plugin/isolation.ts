import { AsyncLocalStorage } from 'node:async_hooks'
import { pathToFileURL } from 'node:url'
import { inspect } from 'node:util'

const running = new AsyncLocalStorage<string>()

/** The name of the third-party plugin whose code is running, or began the running work. */
export const runningPlugin = (): string | undefined => running.getStore()

/** Runs code of a third-party plugin, so that all work it begins is attributed to it. */
export const runAs = <Result>(owner: string, act: () => Result): Result => running.run(owner, act)

/** Copies a declaration of a third-party plugin; its functions run as the plugin's. */
export function confine<Value>(owner: string, value: Value): Value
export function confine(owner: string, value: unknown): unknown {
  if (typeof value === 'function')
    return function (this: unknown, ...args: unknown[]) {
      return runAs(owner, () => Reflect.apply(value, this, args))
    }
  if (Array.isArray(value)) return value.map((item) => confine(owner, item))
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype)
    return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, confine(owner, item)]))
}

/** A folder with third-party code, as its real path, and the name of its plugin or entry. */
export interface ForeignFolder {
  name: string
  folder: string
}

/** Finds the plugin of an uncaught error: the one whose code began the work, else that of the innermost folder in its stack. */
export const findCulprit = (error: unknown, folders: readonly ForeignFolder[]): string | undefined =>
  runningPlugin() ?? folderIn(inspect(error).match(/file:\/\/[^\s)]+?(?=:\d+:\d+)/g) ?? [], folders)

/** Returns the name of the first of these files' folders that holds code from outside. */
export function folderIn(urls: readonly string[], folders: readonly ForeignFolder[]): string | undefined {
  for (const url of urls) {
    const found = folders.find(({ folder }) => url.startsWith(`${pathToFileURL(folder).href}/`))
    if (found) return found.name
  }
  return undefined
}
