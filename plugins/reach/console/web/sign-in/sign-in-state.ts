const KEY = 'svc.sign-in-state'

/** Remembers which sign-in this tab began at another service, so that it completes no other one. */
export const keepState = (state: string) => sessionStorage.setItem(KEY, state)

/** Returns the state of the sign-in that this tab began, once. */
export function takeState(): string | undefined {
  const state = sessionStorage.getItem(KEY) ?? undefined
  sessionStorage.removeItem(KEY)
  return state
}
