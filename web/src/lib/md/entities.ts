const known = new Map<string, string>()

/** The browser knows all names; what it is asked has nothing but letters and digits. */
function named(name: string): string {
  let sign = known.get(name)
  if (sign === undefined) {
    const box = document.createElement('i')
    box.innerHTML = `&${name};`
    sign = box.textContent ?? ''
    known.set(name, sign)
  }
  return sign
}

/** Entities as the signs that they stand for; the result is text, so nothing can be smuggled in. */
export const decode = (text: string): string =>
  text.includes('&')
    ? text.replace(
        /&(?:#(\d{1,7})|#[xX]([\da-fA-F]{1,6})|([A-Za-z][A-Za-z\d]{1,31}));/g,
        (_, number, hex, name) =>
          name ? named(name as string) : ofCode(number ? Number(number) : parseInt(hex as string, 16)),
      )
    : text

const ofCode = (code: number): string =>
  code === 0 || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff) ? '\ufffd' : String.fromCodePoint(code)
