-- Invented facts for the test pages, in the form of build/ladders/facts.lua. Nothing was measured.
return {
  chips = { chip = { title = 'Chip 1', measured = false } },
  devices = {
    classic = { device = 'Old Card', date = '2007' },
    fake = { device = 'Fake Card', driver = '1.2', toolkit = '3.4', date = '2026-01-02' },
    later = { device = 'Later Card', without = 'walk climb' },
  },
  ladders = {
    climb = {
      order = { 'slow', 'fast', 'half' },
      rungs = {
        slow = { title = 'a slow one', ['then'] = 640000000, steps = 1048576, time_fake = 12386.2, each = 31.96 },
        fast = { title = 'a fast one', steps = 0, time_fake = 6.62, predicted_chip = 7.5, each = 4 },
        half = { title = 'one that the card did not do', steps = 99, each = 12.5 },
      },
      columns = {
        ['then'] = { title = 'then', unit = 'cycles' },
        steps = { title = 'steps', unit = '' },
        time_fake = { title = 'time on Fake Card', unit = 'µs' },
        predicted_chip = { title = 'predicted, CHIP', unit = 'µs' },
        each = { title = 'sectors a request', unit = '' },
      },
    },
  },
}
