/** True if browsers have passkeys at this address: it is secure, and has a name instead of numbers. */
export const hasPasskeys = () => 'PublicKeyCredential' in window && !/^[\d.]+$|^\[/.test(location.hostname)
