/** The time for which a password is kept, in milliseconds. */
const KEPT_MS = 10 * 60_000

let password: string | undefined
let timer: ReturnType<typeof setTimeout> | undefined

/** The password of the last sign-in, in memory for ten minutes: the first run changes it without asking for it again. */
export const enteredPassword = {
  read: () => password,
  keep(entered: string): void {
    clearTimeout(timer)
    password = entered
    timer = setTimeout(enteredPassword.forget, KEPT_MS)
  },
  forget(): void {
    clearTimeout(timer)
    password = undefined
  },
}
