;(listening) => {
  const held = (globalThis.pilothouseFields || []).map((one) => one?.input)
  const own = (globalThis.pilothouseFields || []).flatMap((one) =>
    one ? [one.input, one.box, ...(one.parts || [])] : [],
  )
  const others = () =>
    [...document.querySelectorAll('input,textarea,select')]
      .filter((el) => !own.includes(el))
      .map((el) => `${el.value} ${el.checked} ${el.disabled}`)
      .join('\\n')
  const before = others(),
    observer = new MutationObserver((found) => {
      count(found)
    })
  let changes = 0
  const added = []
  const count = (found) => {
    added.push(
      ...found
        .flatMap((one) => [...one.addedNodes, ...(one.type === 'attributes' ? [one.target] : [])])
        .filter((one) => one.nodeType === 1)
        .slice(0, 100),
    )
    changes += found.filter(
      (one) => !own.some((el) => el !== document.body && el.contains(one.target)),
    ).length
  }
  observer.observe(document, {
    subtree: true,
    childList: true,
    characterData: true,
    attributeFilter: ['disabled', 'hidden', 'open', 'aria-disabled', 'aria-expanded', 'aria-hidden'],
  })
  globalThis.pilothouseWatch?.observer.disconnect()
  // Whether what was typed is suggested in a list, which would be gone when the field is left.
  const LIST = '[role=listbox],[role=option],[role=menu],[role=tree]'
  const suggests = (at) => {
    const { input } = globalThis.pilothouseFields[at],
      typed = (input.value || '').trim().toLowerCase()
    if (
      input.matches(
        '[role=combobox],[list],[aria-autocomplete=list],[aria-autocomplete=both],[aria-haspopup=listbox]',
      )
    )
      return true
    count(observer.takeRecords())
    const isSeen = (el) => el.checkVisibility?.() && !own.some((one) => el.contains(one))
    return added.some(
      (el) =>
        el.isConnected &&
        [el, ...el.querySelectorAll('*')]
          .slice(0, 400)
          .some(
            (one) =>
              isSeen(one) &&
              !one.matches('[aria-live],[role=status],[role=log],[role=alert]') &&
              (one.matches(LIST) ||
                (typed && one.textContent.length < 200 && one.textContent.toLowerCase().includes(typed))),
          ),
    )
  }
  globalThis.pilothouseWatch = {
    observer,
    suggests,
    isChanged: () => {
      count(observer.takeRecords())
      return changes > 0 || others() !== before
    },
  }
  return held.map((el) =>
    !el ? '' : listening?.includes(el) ? 'own' : listening?.some((one) => one.contains?.(el)) ? 'around' : '',
  )
}
