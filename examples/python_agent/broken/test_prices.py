import unittest

from prices import discounted


class Discounts(unittest.TestCase):
    def test_a_quarter_off(self):
        self.assertEqual(discounted(200, 25), 150)

    def test_nothing_off(self):
        self.assertEqual(discounted(80, 0), 80)


if __name__ == '__main__':
    unittest.main()
