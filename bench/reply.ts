/** The 50 tokens, four characters each, that every turn of the benchmarks is answered with. */
export const tokens = Array.from({ length: 50 }, (_, index) => ` w${String(index).padStart(2, '0')}`)

/** The number of characters a client has to receive for a turn to count. */
export const replyLength = tokens.join('').length
