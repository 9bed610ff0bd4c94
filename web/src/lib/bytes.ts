const encoder = new TextEncoder()

/** The size of a text in UTF-8, as the server counts it. */
export const bytesOf = (text: string) => encoder.encode(text).length
