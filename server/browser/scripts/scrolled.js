;() =>
  new Promise((done) => {
    let still = 0
    const moved = () => {
      still = 0
    }
    addEventListener('scroll', moved, { capture: true, passive: true })
    const look = () => {
      if (++still < 5) return requestAnimationFrame(look)
      removeEventListener('scroll', moved, { capture: true })
      done(true)
    }
    requestAnimationFrame(look)
  })
