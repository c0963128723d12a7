import type { MountedSlot, MountSlot, SlotContext } from '#plugin-api/console'

interface Options {
  /** The address of an ES module whose default export is a `MountSlot`. */
  address: string
  plugin: string
  element: HTMLElement
  /** Returns the current context. */
  readContext(): SlotContext
  /** Called once if the module cannot be loaded or throws. */
  onFailure(): void
}

/** A module that is being loaded, or shown. */
export interface OpenModule {
  update(context: SlotContext): void
  close(): void
}

/** Loads a module and has it fill an element. Nothing that it throws reaches the page; the console of the browser has it. */
export function openModule({ address, plugin, element, readContext, onFailure }: Options): OpenModule {
  let mounted: MountedSlot | undefined
  let shown: SlotContext | undefined
  let isClosed = false

  const report = (cause: unknown) => console.error(`The module ${address} of "${plugin}" has failed:`, cause)
  const attempt = async (action: () => unknown, onError: (cause: unknown) => void) => {
    try {
      await action()
    } catch (cause) {
      onError(cause)
    }
  }
  const close = () => {
    if (isClosed) return
    isClosed = true
    const leaving = mounted
    mounted = undefined
    if (leaving) void attempt(() => leaving.unmount(), report)
    element.replaceChildren()
  }
  const fail = (cause: unknown) => {
    report(cause)
    if (isClosed) return
    close()
    onFailure()
  }
  const update = (context: SlotContext) => {
    if (!mounted || context === shown) return
    shown = context
    void attempt(() => mounted?.update?.(context), fail)
  }
  const mount = async () => {
    const { default: candidate }: { default?: MountSlot } = await import(/* @vite-ignore */ address)
    if (typeof candidate !== 'function') throw new TypeError('its default export is not a function')
    if (isClosed) return
    shown = readContext()
    const result: MountedSlot | undefined = await candidate(element, shown)
    if (typeof result?.unmount !== 'function') throw new TypeError('it returned no function "unmount"')
    mounted = result
    if (isClosed) void attempt(() => result.unmount(), report)
    else update(readContext())
  }
  void attempt(mount, fail)
  return { update, close }
}
