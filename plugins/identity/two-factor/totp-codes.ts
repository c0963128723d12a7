/** The most steps of 30 seconds that a clock may be ahead or behind. */
const TOLERANCE_SECONDS = 30

/** Imports the library with the first code, because most sign-ins need none. */
const loadLibrary = () => import('otplib')

/** Makes a secret of 160 bits in Base32. */
export const makeTotpSecret = async (): Promise<string> => (await loadLibrary()).generateSecret()

/** Writes the address that authenticator apps read from a QR code. */
export const writeOtpauthUrl = async (parts: {
  issuer: string
  label: string
  secret: string
}): Promise<string> => (await loadLibrary()).generateURI(parts)

/** Returns the time step of a code, which may be the step before or after the present one; undefined if it is wrong. */
export async function findStep(secret: string, text: string, seconds: number): Promise<number | undefined> {
  const token = text.replace(/\s/g, '')
  if (!/^\d{6}$/.test(token)) return undefined
  const { verify } = await loadLibrary()
  const verdict = await verify({ secret, token, epoch: seconds, epochTolerance: TOLERANCE_SECONDS })
  return verdict.valid && 'timeStep' in verdict ? verdict.timeStep : undefined
}
