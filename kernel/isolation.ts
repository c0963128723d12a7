import { AsyncLocalStorage } from 'node:async_hooks'
import { pathToFileURL } from 'node:url'
import { inspect } from 'node:util'

const running = new AsyncLocalStorage<string>()

/** The name of the plugin from outside whose code is running, or began what is running. */
export const runningPlugin = (): string | undefined => running.getStore()

/** Runs code of a plugin from outside, so that whatever it begins is known as the plugin's. */
export const runAs = <Result>(owner: string, act: () => Result): Result => running.run(owner, act)

/** Copies what a plugin from outside declares; the functions in it run as the plugin's. */
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

/** A folder with code from outside, as its real path, and the name of what is in it. */
export interface ForeignFolder {
  name: string
  folder: string
}

/** Finds whose code left an error to nobody: that which began it, else that of the innermost folder in its stack. */
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
