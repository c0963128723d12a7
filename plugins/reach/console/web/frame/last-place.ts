let lastPlace = '/'

/** Remembers the address that the settings lead back to. */
export const noteLastPlace = (address: string): void => {
  lastPlace = address
}

/** The address that was shown before the settings. */
export const readLastPlace = () => lastPlace
