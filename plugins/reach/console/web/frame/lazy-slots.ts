import { type ComponentType, lazy } from 'react'

/** Loads a part of the host of slots when it is first shown; if that fails, the page goes on without it. */
export const lazySlots = <Props extends object>(load: () => Promise<{ default: ComponentType<Props> }>) =>
  lazy(() =>
    load().catch((cause): { default: ComponentType<Props> } => {
      console.error(cause)
      return { default: () => null }
    }),
  )
