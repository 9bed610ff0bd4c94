import { cx } from '@/lib/cx'
import { isMac } from '@/lib/keys'

const GLYPHS: Record<string, string> = {
  mod: isMac ? '⌘' : 'Ctrl',
  shift: isMac ? '⇧' : 'Shift',
  alt: isMac ? '⌥' : 'Alt',
  enter: '↵',
  escape: 'Esc',
  up: '↑',
  down: '↓',
  left: '←',
  right: '→',
  space: 'Space',
  home: 'Home',
  end: 'End',
}

/** `keys` is like `mod+shift+o`. */
export function Kbd({ keys, inverse = false }: { keys: string; inverse?: boolean }) {
  const shown = keys.split('+').map((key) => GLYPHS[key] ?? key.toUpperCase())
  return (
    <kbd
      className={cx(
        'rounded-sm border px-1 font-sans text-2xs whitespace-nowrap',
        inverse ? 'border-faint' : 'border-line text-faint',
      )}
    >
      {shown.join(isMac ? '' : '+')}
    </kbd>
  )
}
